// The scores of a head built up feature by feature: Q Kᵀ is the sum of d_k outer products, one for each
// feature of the queries and keys. Error: runs without recorded queries and keys.
#pragma once

#include "core/trace/trace.h"

namespace attnscope {

/// One feature's share of the scores, and all shares up to it.
struct OuterStep {
  Tensor q;                ///< feature of the queries [query]
  Tensor k;                ///< feature of the keys [key]
  Tensor product;          ///< q kᵀ [query, key]
  Tensor sum;              ///< of this product and those before it [query, key]
  std::int64_t width = 0;  ///< d_k
  /// Largest |sum - scores| over the rectangle, by the scores that the run holds: 0 within float rounding for
  /// the last feature of scores without edits.
  double left = 0;
};

/// Feature `feature` (clamped to 0 .. d_k - 1) of one head, queries and keys as they enter the scores:
/// rotated by their positions where the model rotates. Ranges are clamped. Errors: the run has no such
/// attention, or holds no queries and keys.
Result<OuterStep> outer_step(const Trace& trace, const Site& pattern, std::int64_t head, std::int64_t feature,
                             Range queries, Range keys);

}  // namespace attnscope
