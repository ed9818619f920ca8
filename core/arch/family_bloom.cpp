// BLOOM (Le Scao et al. 2022): a norm behind the embedding, no positions but distances added to the scores
// (ALiBi), pre-LayerNorm blocks, tanh-GELU, queries, keys and values in one matrix, head by head.
#include "core/arch/table_family.h"

namespace attnscope {

Family family_bloom() {
  static const FamilyTable table{
      .name = "BLOOM",
      .model_types = {"bloom"},
      .d_model = {{"hidden_size", "n_embed"}, 64},
      .vocab = {{"vocab_size"}, 250880},
      .layers = {{"n_layer", "num_hidden_layers"}, 2},
      .heads = {{"n_head", "num_attention_heads"}, 8},
      .activation = {{}, "gelu_new"},
      .eps = {{"layer_norm_epsilon"}, 1e-5},
      .uneven_heads = "error.arch.bloom_heads",
      .unsupported = {{"apply_residual_connection_post_layernorm", "error.arch.bloom_residual"}},
      .attention = AttentionPosition::Kind::alibi,
      .embed_norm = true,
      .prefixes = {"transformer.", ""},
      .anchor = "word_embeddings.weight",
      .tensors = {{{"tok_embed", "word_embeddings"},
                   {"ln_embed", "word_embeddings_layernorm"},
                   {"blocks.*.ln1", "h.*.input_layernorm"},
                   {"blocks.*.attn.qkv", "h.*.self_attention.query_key_value"},
                   {"blocks.*.attn.out", "h.*.self_attention.dense"},
                   {"blocks.*.ln2", "h.*.post_attention_layernorm"},
                   {"blocks.*.mlp.pre", "h.*.mlp.dense_h_to_4h"},
                   {"blocks.*.mlp.out", "h.*.mlp.dense_4h_to_h"},
                   {"ln_final", "ln_f"}}}};
  return family_of_table(table);
}

}  // namespace attnscope
