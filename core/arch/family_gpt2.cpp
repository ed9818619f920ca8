// GPT-2 (Radford et al. 2019): learned positions, pre-LayerNorm blocks, tanh-GELU, fused Conv1D projections
// stored [in, out]. Reads base models and language models; skips the attention mask buffers of old files.
#include <cmath>

#include "core/arch/table_family.h"

namespace attnscope {
namespace {

// Scores that are not scaled, or less in each later block.
void gpt2_scales(ConfigReader& config, ModelConfig& out) {
  const bool scaled = config.flag({"scale_attn_weights"}, true);
  const bool by_layer = config.flag({"scale_attn_by_inverse_layer_idx"}, false);
  float number = 0;
  for (BlockSpec& block : out.blocks) {
    if (!scaled) block.attention.scale = 1.f;
    if (by_layer) block.attention.scale /= ++number;
  }
}

}  // namespace

Family family_gpt2() {
  static const FamilyTable table{.name = "GPT-2",
                                 .model_types = {"gpt2"},
                                 .d_model = {{"n_embd", "hidden_size"}, 768},
                                 .vocab = {{"vocab_size"}, 50257},
                                 .layers = {{"n_layer", "num_hidden_layers"}, 12},
                                 .heads = {{"n_head", "num_attention_heads"}, 12},
                                 .d_mlp = {{"n_inner"}, 0},
                                 .positions = {{"n_positions", "max_position_embeddings", "n_ctx"}, 1024},
                                 .activation = {{"activation_function"}, "gelu_new"},
                                 .eps = {{"layer_norm_epsilon", "layer_norm_eps"}, 1e-5},
                                 .uneven_heads = "error.arch.gpt2_heads",
                                 .unsupported = {{"add_cross_attention", "error.arch.gpt2_cross"}},
                                 .table = PositionSpec::Kind::learned,
                                 .prefixes = {"transformer.", ""},
                                 .anchor = "wte.weight",
                                 .tensors = {{{"tok_embed", "wte"},
                                              {"pos_embed", "wpe"},
                                              {"blocks.*.ln1", "h.*.ln_1"},
                                              {"blocks.*.attn.qkv", "h.*.attn.c_attn"},
                                              {"blocks.*.attn.out", "h.*.attn.c_proj"},
                                              {"blocks.*.ln2", "h.*.ln_2"},
                                              {"blocks.*.mlp.pre", "h.*.mlp.c_fc"},
                                              {"blocks.*.mlp.out", "h.*.mlp.c_proj"},
                                              {"ln_final", "ln_f"}},
                                             WeightReader::Layout::in_out,
                                             TensorNames::Fused::sides},
                                 .finish = gpt2_scales};
  return family_of_table(table);
}

}  // namespace attnscope
