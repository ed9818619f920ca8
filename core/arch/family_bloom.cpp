// BLOOM (Le Scao et al. 2022): a norm behind the embedding, no positions but distances added to the scores
// (ALiBi), pre-LayerNorm blocks, tanh-GELU, queries, keys and values in one matrix, head by head. Reads files
// with and without the "transformer." prefix. Error: apply_residual_connection_post_layernorm.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/arch/config_reader.h"
#include "core/arch/family.h"
#include "core/arch/fused_heads.h"

namespace attnscope {
namespace {

Result<ModelConfig> bloom_config(const nlohmann::json& json, const TensorSource& source) {
  ConfigReader config(json, "config.json");
  ModelConfig out;
  out.d_model = out.d_in = config.size({"hidden_size", "n_embed"}, 64);
  out.vocab_size = config.size({"vocab_size"}, 250880);
  out.bos = config.token({"bos_token_id"});
  out.eos = config.token({"eos_token_id"});
  out.pad = config.token({"pad_token_id"});
  const int layers = config.size({"n_layer", "num_hidden_layers"}, 2, 4096),
            heads = config.size({"n_head", "num_attention_heads"}, 8);
  if (out.d_model % heads != 0) config.refuse(fail(Code::bad_shape, "error.arch.bloom_heads"));
  if (config.flag({"apply_residual_connection_post_layernorm"}, false))
    config.refuse(fail(Code::unsupported, "error.arch.bloom_residual"));
  BlockSpec block;
  block.norm = {NormSpec::Kind::layer, config.real({"layer_norm_epsilon"}, 1e-5, kEpsilon), 0.f};
  block.mlp = {MlpSpec::Kind::plain, Activation::gelu_tanh, 4 * out.d_model};
  block.attention.n_heads = block.attention.n_kv_heads = heads;
  block.attention.d_head = std::max(1, out.d_model / heads);
  block.attention.scale = 1.f / std::sqrt(static_cast<float>(block.attention.d_head));
  out.position.kind = PositionSpec::Kind::alibi;
  out.embed_norm = out.final_norm = block.norm;
  out.head.tied = config.flag({"tie_word_embeddings"}, true) || !source.find("lm_head.weight");
  TRY_OK(config.status());
  out.blocks.assign(static_cast<std::size_t>(layers), block);
  return out;
}

Result<Weights> bloom_weights(const ModelConfig& config, const TensorSource& source) {
  const WeightReader from(source, {"transformer.", ""}, "word_embeddings.weight");
  const auto stored = WeightReader::Layout::out_in;
  const std::int64_t d = config.d_model;
  Weights out;
  TRY_OK(from.table(out, "tok_embed.weight", "word_embeddings.weight", config.vocab_size, d));
  TRY_OK(from.norm(out, "ln_embed", "word_embeddings_layernorm", d));
  for (int layer = 0; layer < config.n_layers(); ++layer) {
    const BlockSpec& block = config.blocks[static_cast<std::size_t>(layer)];
    const std::string base = "blocks." + std::to_string(layer) + ".",
                      name = "h." + std::to_string(layer) + ".", self = name + "self_attention.";
    TRY_OK(from.norm(out, base + "ln1", name + "input_layernorm", d));
    TRY_OK(read_fused_heads(out, from, base + "attn.", self + "query_key_value", block.attention, d));
    TRY_OK(from.linear(out, base + "attn.out", self + "dense", d, d, stored));
    TRY_OK(from.norm(out, base + "ln2", name + "post_attention_layernorm", d));
    TRY_OK(from.linear(out, base + "mlp.pre", name + "mlp.dense_h_to_4h", d, block.mlp.d_mlp, stored));
    TRY_OK(from.linear(out, base + "mlp.out", name + "mlp.dense_4h_to_h", block.mlp.d_mlp, d, stored));
  }
  TRY_OK(from.norm(out, "ln_final", "ln_f", d));
  TRY_OK(from.unembedding(out, config));
  return out;
}

}  // namespace

Family family_bloom() { return {"BLOOM", {"bloom"}, bloom_config, bloom_weights}; }

}  // namespace attnscope
