#include "core/trace/rotary.h"

namespace attnscope {

Rotary rotary_of(const RopeSpec& rope, std::int64_t d_head, std::int64_t length) {
  return {rope_frequencies(rope, d_head, length), rope.interleaved, rope_magnitude(rope)};
}

Rotary rotary_of(const Trace& trace, const Site& step) {
  const AttentionSpec& attention = trace.config().attention_at(step);
  return rotary_of(attention.position.rope, attention.d_head, trace.rows(step.stack));
}

}  // namespace attnscope
