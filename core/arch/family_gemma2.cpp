// Gemma 2 (Gemma Team 2024): Gemma's block with norms before and behind attention and MLP, soft caps of
// scores and logits, a scale of scores of its own, and windows in every other layer, the first one sliding.
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/arch/family.h"
#include "core/arch/rotary_decoder.h"

namespace attnscope {
namespace {

// null: no cap.
float cap_of(ConfigReader& config, const char* key, double absent) {
  return config.is_null(key) ? 0 : config.real({key}, absent, kStretchOrNone);
}

Result<ModelConfig> gemma2_config(const nlohmann::json& json, const TensorSource& source) {
  ConfigReader config(json, "config.json");
  ModelConfig out;
  BlockSpec block = read_rotary_block(
      config, source, {.d_head = 256, .tied = true, .norm_offset = 1, .gate = "gelu_pytorch_tanh"}, out);
  block.branch_norms = true;
  block.mlp.activation = config.activation({"hidden_activation"}, "gelu_pytorch_tanh");
  const double scalar = config.number({"query_pre_attn_scalar"}, 256, kStretch);
  block.attention.scale = static_cast<float>(1 / std::sqrt(scalar));
  block.attention.cap = cap_of(config, "attn_logit_softcapping", 50);
  block.attention.causal = !config.flag({"use_bidirectional_attention"}, false);
  out.head.cap = cap_of(config, "final_logit_softcapping", 30);
  out.embed_scale = std::sqrt(static_cast<float>(out.d_model));
  const int layers = layers_of(config);
  for (int layer = 0; layer < layers && config.status(); ++layer) {
    block.attention.window = window_of(config, layer, layer % 2 == 0, 4096);
    out.blocks.push_back(block);
  }
  TRY_OK(config.status());
  return out;
}

}  // namespace

Family family_gemma2() { return {"Gemma 2", {"gemma2"}, gemma2_config, read_rotary_weights}; }

}  // namespace attnscope
