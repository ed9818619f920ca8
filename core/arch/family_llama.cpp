// Llama (Touvron et al. 2023) and the checkpoints that share its block: Llama 2 and 3, Mistral, Qwen2. RoPE,
// RMSNorm, SwiGLU, grouped-query attention, biases where the file has them, tied or own head, sliding
// windows. Reads files with and without the "model." prefix; leftover rotary_emb.inv_freq buffers are
// ignored.
#include <nlohmann/json.hpp>

#include "core/arch/family.h"
#include "core/arch/rotary_decoder.h"

namespace attnscope {
namespace {

// All of Mistral's layers slide; Qwen2's from max_window_layers on where use_sliding_window is set.
std::int64_t window_of_layer(ConfigReader& config, const std::string& type, int layer) {
  if (type == "mistral") return window_of(config, layer, true, 4096);
  if (type != "qwen2" || !config.flag({"use_sliding_window"}, false)) return 0;
  return window_of(config, layer, layer >= config.count({"max_window_layers"}, 28), 4096);
}

Result<ModelConfig> llama_config(const nlohmann::json& json, const TensorSource& source) {
  ConfigReader config(json, "config.json");
  ModelConfig out;
  BlockSpec block = read_rotary_block(config, source, {}, out);
  const std::string type = config.text({"model_type"}, "llama");
  const int layers = layers_of(config);
  for (int layer = 0; layer < layers && config.status(); ++layer) {
    block.attention.window = window_of_layer(config, type, layer);
    out.blocks.push_back(block);
  }
  TRY_OK(config.status());
  return out;
}

}  // namespace

Family family_llama() { return {"Llama", {"llama", "mistral", "qwen2"}, llama_config, read_rotary_weights}; }

}  // namespace attnscope
