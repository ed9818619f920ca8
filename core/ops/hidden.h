// A weight of exactly 0 hides its value, even where that is NaN: what products with patterns do about it.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/ops/heads.h"
#include "core/ops/product.h"

namespace attnscope {

inline bool all_finite(const float* values, std::int64_t count) {
  int others = 0;  // counted to the end: that takes many at a time
  for (std::int64_t i = 0; i < count; ++i)
    others |= std::fabs(values[i]) <= std::numeric_limits<float>::max() ? 0 : 1;
  return others == 0;
}

/// out [width] += weights [keys] v [keys, width] for one row that came out as no number, without the values
/// that are no numbers and have no weight. Every other step is the same, so a row whose trouble was hidden
/// gets the bits that it has without it.
inline void add_seen_values(const float* weights, Rows v, std::int64_t keys, std::int64_t width, float* out) {
  std::vector<float> seen(static_cast<std::size_t>(keys * width));  // [key, width]
  for (std::int64_t key = 0; key < keys; ++key)
    for (std::int64_t d = 0; d < width; ++d) {
      const float value = v.row(key)[d];
      seen[static_cast<std::size_t>(key * width + d)] =
          weights[key] == 0.f && !std::isfinite(value) ? 0.f : value;
    }
  Product sum{weights, keys, 1, nullptr, out, width, 1, width, keys};
  sum.add = true;
  multiply_alone(sum, Right(seen.data(), width, false));
}

}  // namespace attnscope
