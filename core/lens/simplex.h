// Three keys of one row of attention as a point of the 2-simplex: the query's weights on the three,
// renormalised, and the same at other temperatures. Limit: rows with at least three visible keys.
#pragma once

#include <array>
#include <vector>

#include "core/lens/attention_row.h"

namespace attnscope {

using ThreeKeys = std::array<std::int64_t, 3>;
using SimplexPoint = std::array<double, 3>;  ///< sums to 1

/// Keys of the row that are visible, those with most weight first; of equal ones the earlier.
std::vector<std::int64_t> strongest_keys(const AttentionRow& row);
/// softmax(x / temperature) over the three keys, x the input of the row's softmax (in an edited row: the
/// logarithm of its weights). At temperature 1 these are the row's weights divided by their sum. A masked key
/// has 0; where all three are masked, all have 0. `temperature` > 0.
SimplexPoint simplex_point(const AttentionRow& row, const ThreeKeys& keys, double temperature = 1);

}  // namespace attnscope
