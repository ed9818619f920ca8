// Shared by Llama and its relatives, by the names their checkpoints use: RMSNorm, gated MLP, grouped heads,
// rotary positions, sliding windows, tied or own head. A family adds its differences.
#pragma once

#include "core/arch/config_reader.h"
#include "core/arch/weight_reader.h"

namespace attnscope {

/// Defaults of a family for absent fields.
struct RotaryDefaults {
  int d_head = 0;          ///< 0: width / heads
  bool tied = false;       ///< the unembedding is the embedding table
  double norm_offset = 0;  ///< 1 where the file stores gamma - 1
  const char* gate = "silu";
};
/// Sizes, tokens, positions, final norm and head -> `out`; the block all layers begin from. Problems stay in
/// `config`.
BlockSpec read_rotary_block(ConfigReader& config, const TensorSource& source, const RotaryDefaults& defaults,
                            ModelConfig& out);
/// "num_hidden_layers"
int layers_of(ConfigReader& config);
/// Width of one layer's sliding window; 0: full attention. "layer_types" decide where the config
/// lists them, else `slides`. `absent` is the width where the config has none; null means none.
std::int64_t window_of(ConfigReader& config, int layer, bool slides, int absent);

/// The whole of a checkpoint: with or without the prefix of the base model, or inside a larger one.
Result<Weights> read_rotary_weights(const ModelConfig& config, const TensorSource& source);
/// Everything but the head, into `out` under the prefix of the config's stack.
Status read_rotary_stack(Weights& out, const ModelConfig& config, const WeightReader& from);

}  // namespace attnscope
