// A mask seen from one query row: the span of keys that is computed, and -inf at masked cells. A rule is
// evaluated a row of keys at a time; without rule and padding a row is one span of keys with -inf on both
// sides.
#pragma once

#include "core/ops/ops.h"

namespace attnscope {

/// Keys of `keys` that the closed form (causal, window) allows in the row's own sequence.
KeySpan closed_form_span(const Mask& mask, std::int64_t query_pos, std::int64_t keys);
/// A span that holds every allowed cell of the rows [query_begin, query_end), switched cells included: all
/// keys of their sequences but the padding at both ends where a rule decides.
KeySpan reachable_span(const Mask& mask, std::int64_t query_begin, std::int64_t query_end, std::int64_t keys);
/// Writes `value` over the masked cells among row[0 .. key_end - key_begin), whose first cell is key_begin.
void fill_masked(const Mask& mask, std::int64_t query_pos, std::int64_t key_begin, std::int64_t key_end,
                 float value, float* row);

}  // namespace attnscope
