// Queries, keys and values of checkpoints that keep them in one matrix, head by head: [head, 3, d_head] rows
// (GPT-NeoX, BLOOM). No view can skip from head to head, so each of the three is a copy.
#pragma once

#include "core/arch/weight_reader.h"

namespace attnscope {

/// `name`.weight [3 d, d], and its bias where the file has one -> base + "q", "k", "v". Errors: a missing
/// tensor, another shape.
Status read_fused_heads(Weights& out, const WeightReader& from, const std::string& base,
                        const std::string& name, const AttentionSpec& spec, std::int64_t d);

}  // namespace attnscope
