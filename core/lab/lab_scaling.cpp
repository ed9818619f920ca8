// Loss against parameters and tokens: the published fit of Hoffmann et al. 2022, and a power law through a
// few losses that this program measured on small Storytellers.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/lab/pieces.h"
#include "core/lab/power_fit.h"

namespace attnscope {
namespace {

// Hoffmann et al. 2022, section 3.3, equation 10: L(N, D) = E + A / N^alpha + B / D^beta.
constexpr double kE = 1.69, kA = 406.4, kB = 410.7, kAlpha = 0.34, kBeta = 0.28;

/// Held-out loss of `attnscope-cli train storyteller --layers 2 --heads 2 --d-model W --steps 600 --seed 2
/// --held-out 300` with W = 8, 12, 16, 24, 32, 48, 64, as measured when this was written.
struct Measured {
  double parameters, loss;
};
constexpr Measured kLabScalingMeasured[] = {{3856, 1.9598},  {6936, 1.6267},  {10784, 1.4579},
                                            {20784, 1.2365}, {33856, 1.1255}, {69216, 0.9721},
                                            {116864, 0.9325}};

double published(double n, double d) { return kE + kA / std::pow(n, kAlpha) + kB / std::pow(d, kBeta); }

/// The least loss that C = 6 N D operations can buy, by the same formula.
struct Optimum {
  double n = 0, d = 0, loss = 0;
};
Optimum optimum_of(double compute) {
  const double g = std::pow(kAlpha * kA / (kBeta * kB), 1 / (kAlpha + kBeta));
  Optimum out;
  out.n = g * std::pow(compute / 6, kBeta / (kAlpha + kBeta));
  out.d = compute / 6 / out.n;
  out.loss = published(out.n, out.d);
  return out;
}

// All ways to spend the same computing.
LabPlot budget_plot(double n, double d) {
  const double compute = 6 * n * d;
  const Optimum best = optimum_of(compute);
  LabPlot out;
  out.title = Text::of("lab.scaling.budget", {shown(compute, 3)});
  out.x_title = Text::of("lab.scaling.n");
  out.log_x = true;
  LabSeries curve{Text::of("lab.scaling.same"), {}, LabInk::blue},
      here{Text::of("lab.scaling.here"), {{n, published(n, d)}}, LabInk::red},
      least{Text::of("lab.scaling.least"), {{best.n, best.loss}}, LabInk::green};
  here.points_only = least.points_only = true;
  const double low = std::min({n, best.n / 30}), high = std::max({n, best.n * 30});
  for (const double at : powers_between(low, high, 81))
    curve.points.emplace_back(at, published(at, compute / 6 / at));
  out.series = {curve, here, least};
  out.y = {best.loss * 0.97, std::max(best.loss * 1.35, published(n, d) * 1.03)};
  return out;
}

LabPlot fit_plot(const PowerFit& fit, const std::vector<std::pair<double, double>>& points, double width) {
  LabPlot out;
  out.title = Text::of("lab.scaling.measured");
  out.x_title = Text::of("lab.scaling.parameters");
  out.log_x = true;
  LabSeries dots{Text::of("lab.scaling.runs.points"), points, LabInk::amber},
      used{Text::of("lab.scaling.left_out"), {}, LabInk::dim},
      line{Text::of("lab.scaling.fit"), {}, LabInk::blue, true};
  dots.points_only = used.points_only = true;
  for (const Measured& run : kLabScalingMeasured)
    if (run.parameters > width) used.points.emplace_back(run.parameters, run.loss);
  for (const double at : powers_between(std::begin(kLabScalingMeasured)->parameters,
                                        std::rbegin(kLabScalingMeasured)->parameters, 61))
    line.points.emplace_back(at, fit.floor + fit.factor * std::pow(at, -fit.exponent));
  out.series = {line, dots};
  if (!used.points.empty()) out.series.push_back(used);
  return out;
}

LabTable lab_scaling_fact_table(double n, double d) {
  const Optimum best = optimum_of(6 * n * d);
  LabTable out;
  out.title = Text::of("lab.scaling.table");
  out.header = {Text(), Text::of("lab.scaling.here"), Text::of("lab.scaling.least")};
  const auto row = [&](const char* key, double a, double b, int digits = 4) {
    out.rows.push_back(fact(Text::of(key), {shown(a, digits), shown(b, digits)}));
  };
  row("lab.scaling.n", n, best.n, 3);
  row("lab.scaling.d", d, best.d, 3);
  row("lab.scaling.ratio", d / n, best.d / best.n, 3);
  row("lab.scaling.by_n", kA / std::pow(n, kAlpha), kA / std::pow(best.n, kAlpha));
  row("lab.scaling.by_d", kB / std::pow(d, kBeta), kB / std::pow(best.d, kBeta));
  row("lab.scaling.loss", published(n, d), best.loss);
  return out;
}

Result<LabPicture> compute_scaling(const LabValues& values, const std::atomic<bool>&) {
  const double n = values.number("n"), d = values.number("d");
  const auto runs = static_cast<std::size_t>(values.whole("runs"));
  std::vector<std::pair<double, double>> points;
  for (const Measured& run : kLabScalingMeasured)
    if (points.size() < runs) points.emplace_back(run.parameters, run.loss);
  const PowerFit fit = fit_power(points);
  const Measured& largest = *std::rbegin(kLabScalingMeasured);
  const double told = fit.floor + fit.factor * std::pow(largest.parameters, -fit.exponent);
  LabPicture out;
  out.pieces = {{budget_plot(n, d), 1.1f, true, 1.3f},
                {fit_plot(fit, points, points.back().first), 1},
                in_full({lab_scaling_fact_table(n, d), 1, true, 1})};
  out.formula = Text::of(
      "lab.scaling.formula",
      {shown(kA / std::pow(n, kAlpha), 3), shown(kB / std::pow(d, kBeta), 3), shown(published(n, d), 4)});
  const double ratio = d / n;
  out.notice = Text::of(ratio < 10                    ? "lab.scaling.notice.wide"
                        : ratio > 60                  ? "lab.scaling.notice.long"
                        : optimum_of(6 * n * d).n < n ? "lab.scaling.notice.rule"
                                                      : "lab.scaling.notice.rule_larger",
                        {shown(ratio, 3), shown(20 * n, 3), points.size(), shown(told, 3),
                         shown(largest.loss, 3), shown(fit.exponent, 2)});
  return out;
}

}  // namespace

Lab lab_scaling();
Lab lab_scaling() {
  return {"lab.scaling",
          15,
          {real_control("lab.scaling.n", 1e7, 1e12, 7e9, true),
           real_control("lab.scaling.d", 1e9, 1e14, 1.4e11, true),
           whole_control("lab.scaling.runs", 3, static_cast<double>(std::size(kLabScalingMeasured)),
                         static_cast<double>(std::size(kLabScalingMeasured)) - 2)},
          compute_scaling,
          {"n", 1e12},
          {"n", 1e12, "d"}};
}

}  // namespace attnscope
