// The sizes of a task's model: chosen ones over the task's own. Errors: sizes that do
// not divide, sizes beyond what tasks need, unknown words for order and mask.
#pragma once

#include "core/train/task.h"

namespace attnscope {

/// `chosen` with the gaps filled from `own`, whose sizes fit each other. Where only the width was chosen, the
/// MLP keeps its proportion to it, and heads that were not chosen become as many as fit. `kv_heads` of 0
/// means as many as heads. Errors: widths that heads do not divide, heads that key/value heads do not divide,
/// numbers outside of 1 .. 24 layers, 32 heads, 1024 features, other words than "pre" and "post", "prefix"
/// and "causal".
Result<TaskSizes> filled_sizes(const TaskSizes& chosen, const TaskSizes& own);
/// A block of such sizes as most decoders have it: LayerNorm, GELU, causal, 1/sqrt(d_head).
BlockSpec usual_block(const TaskSizes& sizes);
/// A stack with `block` in every layer, the block's norm behind the last one (none where norms stand behind
/// the sums), learned positions and a head tied to the table of tokens.
ModelConfig usual_decoder(const TaskSizes& sizes, const BlockSpec& block, int vocabulary,
                          std::int64_t positions);
/// Error: heads of odd width, whose features make no pairs for rotary positions.
Status check_pairs(const AttentionSpec& attention);

}  // namespace attnscope
