// Gemma (Gemma Team 2024): Llama's block with embeddings times sqrt(d_model), norms that store gamma - 1,
// heads of a size of their own and GeGLU with the tanh form. Old configs have "gelu" where the weights were
// trained with the tanh form; it is read as that here too.
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/arch/family.h"
#include "core/arch/rotary_decoder.h"

namespace attnscope {
namespace {

Result<ModelConfig> gemma_config(const nlohmann::json& json, const TensorSource& source) {
  ConfigReader config(json, "config.json");
  ModelConfig out;
  BlockSpec block = read_rotary_block(
      config, source, {.d_head = 256, .tied = true, .norm_offset = 1, .gate = "gelu_pytorch_tanh"}, out);
  const bool told = config.find({"hidden_activation"}) != nullptr;
  if (told) block.mlp.activation = config.activation({"hidden_activation"}, "gelu_pytorch_tanh");
  if (!told && block.mlp.activation == Activation::gelu_exact) block.mlp.activation = Activation::gelu_tanh;
  block.attention.causal = !config.flag({"use_bidirectional_attention"}, false);
  out.embed_scale = std::sqrt(static_cast<float>(out.d_model));
  const int layers = layers_of(config);
  TRY_OK(config.status());
  out.blocks.assign(static_cast<std::size_t>(layers), block);
  return out;
}

}  // namespace

Family family_gemma() { return {"Gemma", {"gemma"}, gemma_config, read_rotary_weights}; }

}  // namespace attnscope
