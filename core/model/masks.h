// What attention may see and what is added to its scores, from a stack's specs and a run's input.
#pragma once

#include "core/trace/config.h"
#include "core/trace/mask_spec.h"

namespace attnscope {

/// The mask of a self-attention over `keys` columns: the person's (`asked`) where it is not the model's own.
/// Errors: a span that the input does not name, a matrix of another shape.
Result<Mask> self_mask(const AttentionSpec& spec, const MaskSpec& asked, const std::vector<Span>& spans,
                       const std::vector<std::uint8_t>& real, std::int64_t keys);
/// Every real key is seen: cross-attention.
Mask padding_mask(const std::vector<std::uint8_t>& real);
/// ALiBi, or the table of distances of a stack: `table` is rel_bias.weight [bucket, head].
ScoreBias score_bias(const PositionSpec& position, const AttentionSpec& attention, const Tensor& table);

}  // namespace attnscope
