#include "core/lab/power_fit.h"

#include <algorithm>
#include <cmath>

namespace attnscope {
namespace {

// floor and factor of the line over x = N^-exponent.
PowerFit line_at(const std::vector<std::pair<double, double>>& points, double exponent) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const auto& [at, loss] : points) {
    const double x = std::pow(at, -exponent);
    n += 1, sx += x, sy += loss, sxx += x * x, sxy += x * loss;
  }
  PowerFit fit;
  fit.exponent = exponent;
  fit.factor = (n * sxy - sx * sy) / (n * sxx - sx * sx);
  fit.floor = (sy - fit.factor * sx) / n;
  for (const auto& [at, loss] : points) {
    const double off = fit.floor + fit.factor * std::pow(at, -exponent) - loss;
    fit.error += off * off / n;
  }
  fit.error = std::sqrt(fit.error);
  return fit;
}

}  // namespace

PowerFit fit_power(const std::vector<std::pair<double, double>>& points) {
  PowerFit best = line_at(points, 0.02);
  double low = 0.02, high = 3;
  for (int round = 0; round < 6; ++round) {
    const double step = (high - low) / 60;
    for (int i = 0; i <= 60; ++i)
      if (const PowerFit fit = line_at(points, low + step * i); fit.error < best.error) best = fit;
    low = std::max(0.02, best.exponent - step);
    high = std::min(3.0, best.exponent + step);
  }
  return best;
}

}  // namespace attnscope
