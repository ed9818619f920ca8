// GPT-NeoX (Black et al. 2022) and Pythia: attention and MLP read the same stream in parallel, a part of
// each head rotates, and queries, keys and values lie in one matrix, head by head. The mask and frequency
// buffers of older files are left alone.
#include "core/arch/table_family.h"

namespace attnscope {

Family family_gpt_neox() {
  static const FamilyTable table{.name = "GPT-NeoX",
                                 .model_types = {"gpt_neox"},
                                 .d_model = {{"hidden_size"}, 6144},
                                 .vocab = {{"vocab_size"}, 50432},
                                 .layers = {{"num_hidden_layers"}, 44},
                                 .heads = {{"num_attention_heads"}, 64},
                                 .d_mlp = {{"intermediate_size"}, 24576},
                                 .positions = {{"max_position_embeddings"}, 2048},
                                 .activation = {{"hidden_act"}, "gelu"},
                                 .eps = {{"layer_norm_eps"}, 1e-5},
                                 .tied = {{"tie_word_embeddings"}, false},
                                 .parallel = {{"use_parallel_residual"}, true},
                                 .has_pad = false,
                                 .uneven_heads = "error.arch.neox_heads",
                                 .attention = AttentionPosition::Kind::rope,
                                 .rotary_share = 0.25,
                                 .head = "embed_out",
                                 .headless = true,
                                 .prefixes = {"gpt_neox.", ""},
                                 .anchor = "embed_in.weight",
                                 .tensors = {{{"tok_embed", "embed_in"},
                                              {"blocks.*.ln1", "layers.*.input_layernorm"},
                                              {"blocks.*.attn.qkv", "layers.*.attention.query_key_value"},
                                              {"blocks.*.attn.out", "layers.*.attention.dense"},
                                              {"blocks.*.ln2", "layers.*.post_attention_layernorm"},
                                              {"blocks.*.mlp.pre", "layers.*.mlp.dense_h_to_4h"},
                                              {"blocks.*.mlp.out", "layers.*.mlp.dense_4h_to_h"},
                                              {"ln_final", "final_layer_norm"}}}};
  return family_of_table(table);
}

}  // namespace attnscope
