// What an attention head looks at, in three numbers per row of its pattern: how spread out the row is
// (entropy), how far it looks (distance), and how much goes to the first token (the sink). Refuses to average
// rows that see nothing: a fully masked row counts in none of the means, nor does padding.
#pragma once

#include "core/trace/trace.h"

namespace attnscope {

struct RowStats {
  double entropy = 0;         ///< -sum p ln p, nats
  double max_entropy = 0;     ///< ln of the number of keys in sight: what a uniform row would have
  double distance = 0;        ///< sum of p * |query - key|, tokens; says nothing across two sequences
  double first_share = 0;     ///< weight on key 0
  std::int64_t in_sight = 0;  ///< keys that the mask allows; 0: a fully masked row
};

/// One row of a pattern [key], of the query at position `query` (absolute, on the axis of the keys). `mask`
/// is the row of the mask [key], 1 = allowed; empty: keys with weight are in sight.
RowStats row_stats(const Tensor& pattern_row, const Tensor& mask_row, std::int64_t query);

/// The row of one head of the run. Error: the run has no such attention, or head or query are out of range.
Result<RowStats> row_stats(const Trace& trace, const Site& pattern, std::int64_t head, std::int64_t query);

/// The means of row_stats over all queries of a head that see anything: reads n^2 numbers, in bands of rows.
/// `in_sight` is the number of rows that were counted. Errors as above.
Result<RowStats> head_stats(const Trace& trace, const Site& pattern, std::int64_t head);

/// That `pattern` is a pattern of this run with such a head and query; the sentence says what is wrong.
Status check_pattern_row(const Trace& trace, const Site& pattern, std::int64_t head, std::int64_t query);

}  // namespace attnscope
