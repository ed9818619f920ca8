// Rounding to IEEE 754 binary16, to show the precision that half precision keeps.
#pragma once

#include <algorithm>
#include <cmath>

namespace attnscope {

/// The largest finite binary16.
inline constexpr double kMostHalf = 65504;

/// The nearest binary16, ties to even; beyond the largest: infinity.
inline double rounded_to_half(float value) {
  const double size = std::fabs(static_cast<double>(value));
  if (!std::isfinite(size) || size == 0) return static_cast<double>(value);
  const int exponent = std::max(-14, std::ilogb(size));
  const double step = std::ldexp(1.0, exponent - 10);
  const double near = std::nearbyint(size / step) * step;
  return std::copysign(near > kMostHalf ? static_cast<double>(INFINITY) : near, static_cast<double>(value));
}

}  // namespace attnscope
