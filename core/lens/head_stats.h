// Statistics of one row of an attention pattern: how spread out the row is
// (entropy), how far away its keys are (distance), and the weight on the first token (the sink). Means leave
// out fully masked rows and padding.
#pragma once

#include "core/trace/trace.h"

namespace attnscope {

struct RowStats {
  double entropy = 0;         ///< -sum p ln p, nats
  double max_entropy = 0;     ///< ln of the number of visible keys: the entropy of a uniform row
  double distance = 0;        ///< sum of p * |query - key|, tokens; undefined across two sequences
  double first_share = 0;     ///< weight on key 0; of a run on the first that is no padding
  std::int64_t in_sight = 0;  ///< keys that the mask allows; 0: a fully masked row
};

/// One row of a pattern [key], of the query at position `query` (absolute, on the axis of the keys). `mask`
/// is the row of the mask [key], 1 = allowed; empty: keys with weight are visible.
RowStats row_stats(const Tensor& pattern_row, const Tensor& mask_row, std::int64_t query);

/// The row of one head of the run. Error: the run has no such attention, or head or query are out of range.
Result<RowStats> row_stats(const Trace& trace, const Site& pattern, std::int64_t head, std::int64_t query);

/// The means of row_stats over all queries of a head with a visible key: reads n^2 numbers, in bands of rows.
/// `in_sight` is the number of rows that were counted. Errors as above.
Result<RowStats> head_stats(const Trace& trace, const Site& pattern, std::int64_t head);

/// Checks that `pattern` is a pattern of this run with such a head and query.
Status check_pattern_row(const Trace& trace, const Site& pattern, std::int64_t head, std::int64_t query);

}  // namespace attnscope
