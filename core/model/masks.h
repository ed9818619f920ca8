// The attention masks and biases of a stack, from its specs and a run's input.
#pragma once

#include "core/trace/attention_kind.h"
#include "core/trace/config.h"
#include "core/trace/input.h"
#include "core/trace/mask_spec.h"

namespace attnscope {

/// The mask of a self-attention over `keys` columns; `asked` (an edit) replaces the model's where it is set.
/// Errors: a span that the input does not name, a matrix of another shape.
Result<Mask> self_mask(const AttentionSpec& spec, const MaskSpec& asked, const std::vector<Span>& spans,
                       const std::vector<std::uint8_t>& attention_mask, std::int64_t keys);
/// The mask of cross-attention from `queries` rows to `keys` rows of the encoder: all keys but padding,
/// unless `asked` is another mask. Errors: a named span, a matrix of another shape.
Result<Mask> cross_mask(const MaskSpec& asked, const std::vector<std::uint8_t>& attention_mask,
                        std::int64_t queries, std::int64_t keys);
/// Blocks that use that mask; 1 where the model has no such mask.
int mask_layers(const ModelConfig& config, AttentionKind kind);
/// The mask of block `layer` of an encoder or a vision encoder, or of cross-attention from `queries` rows of
/// the main stack. `config` is the main stack's. Errors: the model has no such mask, and as above.
Result<Mask> other_mask(const ModelConfig& config, AttentionKind kind, int layer, const MaskSpec& asked,
                        const Input& input, std::int64_t queries);
/// What a block's attention adds to its scores: ALiBi, or the stack's table of distances rel_bias.weight
/// [bucket, head].
ScoreBias score_bias(const AttentionSpec& attention, const Tensor& table);

}  // namespace attnscope
