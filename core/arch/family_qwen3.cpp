// Qwen3 (Yang et al. 2025): Llama's block with heads of a size of their own, whose queries and keys are
// normed (RMSNorm over d_head) before the rotation. Reads dense checkpoints; mixtures of experts are another
// model_type.
#include <nlohmann/json.hpp>

#include "core/arch/family.h"
#include "core/arch/rotary_decoder.h"

namespace attnscope {
namespace {

Result<ModelConfig> qwen3_config(const nlohmann::json& json, const TensorSource& source) {
  ConfigReader config(json, "config.json");
  ModelConfig out;
  BlockSpec block = read_rotary_block(config, source, {.d_head = 128}, out);
  block.attention.qk_norm = block.norm;
  const int layers = layers_of(config);
  const bool slides = config.flag({"use_sliding_window"}, false);
  for (int layer = 0; layer < layers && config.status(); ++layer) {
    const bool high = layer >= config.count({"max_window_layers"}, 28);
    block.attention.window = slides ? window_of(config, layer, high, 4096) : 0;
    out.blocks.push_back(block);
  }
  TRY_OK(config.status());
  return out;
}

}  // namespace

Family family_qwen3() { return {"Qwen3", {"qwen3"}, qwen3_config, read_rotary_weights}; }

}  // namespace attnscope
