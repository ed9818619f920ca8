// GPT-2 (Radford et al. 2019): learned positions, pre-LayerNorm blocks, tanh-GELU, fused Conv1D projections
// stored [in, out]. Reads base models and language models, with or without the "transformer." prefix; skips
// the attention mask buffers of old files. Error: cross-attention.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/arch/config_reader.h"
#include "core/arch/family.h"
#include "core/arch/weight_reader.h"

namespace attnscope {
namespace {

WeightReader reader(const TensorSource& source) {
  return WeightReader(source, {"transformer.", ""}, "wte.weight");
}

Result<ModelConfig> gpt2_config(const nlohmann::json& json, const TensorSource& source) {
  ConfigReader config(json, "config.json");
  ModelConfig out;
  out.d_model = out.d_in = config.size({"n_embd", "hidden_size"}, 768);
  out.vocab_size = config.size({"vocab_size"}, 50257);
  out.position.kind = PositionSpec::Kind::learned;
  out.position.max_positions = config.size({"n_positions", "max_position_embeddings", "n_ctx"}, 1024);
  out.bos = config.token({"bos_token_id"});
  out.eos = config.token({"eos_token_id"});
  out.pad = config.token({"pad_token_id"});
  const float eps = config.real({"layer_norm_epsilon", "layer_norm_eps"}, 1e-5, kEpsilon);
  const int layers = config.size({"n_layer", "num_hidden_layers"}, 12, 4096);
  const int heads = config.size({"n_head", "num_attention_heads"}, 12);
  if (out.d_model % heads != 0) config.refuse(fail(Code::bad_shape, "error.arch.gpt2_heads"));
  if (config.flag({"add_cross_attention"}, false))
    config.refuse(fail(Code::unsupported, "error.arch.gpt2_cross"));
  BlockSpec block;
  block.norm = {NormSpec::Kind::layer, eps, 0.f};
  block.mlp = {MlpSpec::Kind::plain, config.activation({"activation_function"}, "gelu_new"),
               config.size({"n_inner"}, 4 * out.d_model)};
  block.attention.n_heads = block.attention.n_kv_heads = heads;
  block.attention.d_head = std::max(1, out.d_model / heads);
  const bool scaled = config.flag({"scale_attn_weights"}, true);
  const bool by_layer = config.flag({"scale_attn_by_inverse_layer_idx"}, false);
  TRY_OK(config.status());
  for (int layer = 0; layer < layers; ++layer) {
    block.attention.scale = scaled ? 1.f / std::sqrt(static_cast<float>(block.attention.d_head)) : 1.f;
    if (by_layer) block.attention.scale /= static_cast<float>(layer + 1);
    out.blocks.push_back(block);
  }
  out.final_norm = block.norm;
  out.head.present = true;
  out.head.tied = config.flag({"tie_word_embeddings"}, true) || !source.find("lm_head.weight");
  TRY_OK(config.status());
  return out;
}

// c_attn holds Q, K and V side by side: three column slices of one matrix, no copy.
Status read_qkv(const WeightReader& from, Weights& out, const std::string& base, const std::string& name,
                std::int64_t d) {
  TRY(const Tensor weight, from.matrix(name, d, 3 * d, WeightReader::Layout::in_out));
  TRY(const Tensor bias, from.load(name + ".bias", {3 * d}));
  int part = 0;
  for (const char* which : {"q", "k", "v"}) {
    const std::int64_t begin = part++ * d;
    out.set(base + which + ".weight", weight.slice(1, begin, begin + d).rename({Axis::in, Axis::out}));
    out.set(base + which + ".bias", bias.slice(0, begin, begin + d).rename({Axis::out}));
  }
  return Done{};
}

Result<Weights> gpt2_weights(const ModelConfig& config, const TensorSource& source) {
  const WeightReader from = reader(source);
  const auto conv1d = WeightReader::Layout::in_out;
  const std::int64_t d = config.d_model;
  Weights out;
  TRY_OK(from.table(out, "tok_embed.weight", "wte.weight", config.vocab_size, d));
  TRY_OK(from.table(out, "pos_embed.weight", "wpe.weight", config.position.max_positions, d));
  for (int layer = 0; layer < config.n_layers(); ++layer) {
    const std::string base = "blocks." + std::to_string(layer) + ".",
                      name = "h." + std::to_string(layer) + ".";
    const std::int64_t d_mlp = config.blocks[static_cast<std::size_t>(layer)].mlp.d_mlp;
    TRY_OK(from.norm(out, base + "ln1", name + "ln_1", d));
    TRY_OK(read_qkv(from, out, base + "attn.", name + "attn.c_attn", d));
    TRY_OK(from.linear(out, base + "attn.out", name + "attn.c_proj", d, d, conv1d));
    TRY_OK(from.norm(out, base + "ln2", name + "ln_2", d));
    TRY_OK(from.linear(out, base + "mlp.pre", name + "mlp.c_fc", d, d_mlp, conv1d));
    TRY_OK(from.linear(out, base + "mlp.out", name + "mlp.c_proj", d_mlp, d, conv1d));
  }
  TRY_OK(from.norm(out, "ln_final", "ln_f", d));
  TRY_OK(from.unembedding(out, config));
  return out;
}

}  // namespace

Family family_gpt2() { return {"GPT-2", {"gpt2"}, gpt2_config, gpt2_weights}; }

}  // namespace attnscope
