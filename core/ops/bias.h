// The bias of one head as a line over the distance key - query: every row of scores adds a piece of it, so
// that buckets and their logarithms are worked out once per distance and not once per cell.
#pragma once

#include <vector>

#include "core/ops/ops.h"

namespace attnscope {

class BiasLine {
 public:
  /// For the queries [query_begin, query_end) and the keys [0, keys), absolute positions. Holds nothing where
  /// there is no bias.
  BiasLine(const ScoreBias& bias, std::int64_t head, std::int64_t query_begin, std::int64_t query_end,
           std::int64_t keys);
  bool empty() const { return by_distance_.empty(); }
  /// The addends of the keys from `key_begin` on, for a query.
  const float* row(std::int64_t query_pos, std::int64_t key_begin) const {
    return by_distance_.data() + (key_begin - query_pos - lowest_);
  }

 private:
  std::int64_t lowest_;  // distance of the first entry
  std::vector<float> by_distance_;
};

}  // namespace attnscope
