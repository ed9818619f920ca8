// Llama (Touvron et al. 2023) and the checkpoints that share its block: Llama 2 and 3, Mistral, Qwen2. RoPE,
// RMSNorm, SwiGLU, grouped-query attention, biases where the file has them, tied or own head, sliding
// windows. Reads files with and without the "model." prefix; leftover rotary_emb.inv_freq buffers are
// ignored.
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/arch/config_reader.h"
#include "core/arch/family.h"
#include "core/arch/weight_reader.h"

namespace attnscope {
namespace {

// The window of one layer: Mistral's sliding_window for all, Qwen2's only where layer_types or
// max_window_layers say so.
std::int64_t window_of(ConfigReader& config, int layer) {
  const nlohmann::json* window = config.find({"sliding_window"});
  if (!window || !window->is_number_integer() || window->get<std::int64_t>() <= 0) return 0;
  const std::int64_t width = window->get<std::int64_t>();
  const nlohmann::json* types = config.find({"layer_types"});
  if (types && types->is_array() && layer < static_cast<int>(types->size())) {
    const nlohmann::json& type = (*types)[static_cast<std::size_t>(layer)];
    return type.is_string() && type.get<std::string>() == "sliding_attention" ? width : 0;
  }
  if (const nlohmann::json* use = config.find({"use_sliding_window"}); use && use->is_boolean()) {
    if (!use->get<bool>()) return 0;
    return layer >= config.size({"max_window_layers"}, 1 << 20) ? width : 0;
  }
  return config.text({"model_type"}, "") == "mistral" ? width : 0;
}

Result<ModelConfig> read_config(const nlohmann::json& json, const TensorSource& source) {
  ConfigReader config(json, "config.json");
  ModelConfig out;
  out.d_model = out.d_in = config.size({"hidden_size"}, 0);
  out.vocab_size = config.size({"vocab_size"}, 32000);
  out.bos = config.token({"bos_token_id"});
  out.eos = config.token({"eos_token_id"});
  const int layers = config.size({"num_hidden_layers"}, 0, 4096),
            heads = config.size({"num_attention_heads"}, 0);
  BlockSpec block;
  block.norm = {NormSpec::Kind::rms, static_cast<float>(config.number({"rms_norm_eps"}, 1e-6)), 0.f};
  block.mlp = {MlpSpec::Kind::gated, config.activation({"hidden_act", "hidden_activation"}, "silu"),
               config.size({"intermediate_size"}, 0)};
  block.attention.n_heads = heads;
  block.attention.n_kv_heads = config.size({"num_key_value_heads"}, heads);
  block.attention.d_head = config.size({"head_dim"}, std::max(1, out.d_model / heads));
  block.attention.scale = 1.f / std::sqrt(static_cast<float>(block.attention.d_head));
  out.position.kind = PositionSpec::Kind::rope;
  out.position.rope = read_rope(config, block.attention.d_head);
  out.position.max_positions = config.size({"max_position_embeddings"}, 2048, 1 << 30);
  for (int layer = 0; layer < layers && config.status(); ++layer) {
    block.attention.window = window_of(config, layer);
    out.blocks.push_back(block);
  }
  out.final_norm = block.norm;
  out.head.tied = config.flag({"tie_word_embeddings"}, false);
  out.head.present = out.head.tied || source.find("lm_head.weight") != nullptr;
  TRY_OK(config.status());
  return out;
}

Result<Weights> read_weights(const ModelConfig& config, const TensorSource& source) {
  const WeightReader from(source, {"model.", ""}, "embed_tokens.weight");
  const auto stored = WeightReader::Layout::out_in;
  const std::int64_t d = config.d_model;
  Weights out;
  TRY_OK(from.table(out, "tok_embed.weight", "embed_tokens.weight", config.vocab_size, d));
  for (int layer = 0; layer < config.n_layers(); ++layer) {
    const BlockSpec& block = config.blocks[static_cast<std::size_t>(layer)];
    const std::int64_t q = std::int64_t{block.attention.n_heads} * block.attention.d_head;
    const std::int64_t kv = std::int64_t{block.attention.n_kv_heads} * block.attention.d_head,
                       wide = block.mlp.d_mlp;
    const std::string base = "blocks." + std::to_string(layer) + ".",
                      name = "layers." + std::to_string(layer) + ".";
    TRY_OK(from.norm(out, base + "ln1", name + "input_layernorm", d));
    TRY_OK(from.linear(out, base + "attn.q", name + "self_attn.q_proj", d, q, stored));
    TRY_OK(from.linear(out, base + "attn.k", name + "self_attn.k_proj", d, kv, stored));
    TRY_OK(from.linear(out, base + "attn.v", name + "self_attn.v_proj", d, kv, stored));
    TRY_OK(from.linear(out, base + "attn.out", name + "self_attn.o_proj", q, d, stored));
    TRY_OK(from.norm(out, base + "ln2", name + "post_attention_layernorm", d));
    TRY_OK(from.linear(out, base + "mlp.gate", name + "mlp.gate_proj", d, wide, stored));
    TRY_OK(from.linear(out, base + "mlp.up", name + "mlp.up_proj", d, wide, stored));
    TRY_OK(from.linear(out, base + "mlp.out", name + "mlp.down_proj", wide, d, stored));
  }
  TRY_OK(from.norm(out, "ln_final", "norm", d));
  if (!config.head.present) return out;
  TRY_OK(from.unembedding(out, config));
  return out;
}

}  // namespace

Family family_llama() { return {"Llama", {"llama", "mistral", "qwen2"}, read_config, read_weights}; }

}  // namespace attnscope
