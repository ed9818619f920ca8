// A power law through a few points: L = floor + factor / N^exponent, by least squares.
#pragma once

#include <utility>
#include <vector>

namespace attnscope {

struct PowerFit {
  double floor = 0, factor = 0, exponent = 0;
  double error = 0;  ///< root of the mean squared difference
};
/// At least three points with different N > 0. For every exponent the other two follow exactly; the exponent
/// is searched from 0.02 to 3 in steps that get finer.
PowerFit fit_power(const std::vector<std::pair<double, double>>& points);

}  // namespace attnscope
