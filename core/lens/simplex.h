// Three keys of one row of attention as a point of a triangle: what a query gives to the three, made to sum
// to one, and where temperature would move it. Refuses rows of fewer than three keys in sight.
#pragma once

#include <array>
#include <vector>

#include "core/lens/attention_row.h"

namespace attnscope {

using ThreeKeys = std::array<std::int64_t, 3>;
using SimplexPoint = std::array<double, 3>;  ///< sums to 1

/// Keys of the row in sight, those with most weight first; of equal ones the earlier.
std::vector<std::int64_t> strongest_keys(const AttentionRow& row);
/// softmax(x / temperature) over the three keys, x what the row's softmax read (where the row was edited: the
/// logarithm of its weights). At temperature 1 these are the row's weights divided by their sum. A masked key
/// has 0; where all three are masked, all have 0. `temperature` > 0.
SimplexPoint simplex_point(const AttentionRow& row, const ThreeKeys& keys, double temperature = 1);

}  // namespace attnscope
