// gpt-oss (OpenAI 2025): Llama's block with biases, windows in every other layer, and a learned sink of each
// head beside its scores. Reads blocks of one dense MLP; those with experts are refused.
#include <nlohmann/json.hpp>

#include "core/arch/family.h"
#include "core/arch/rotary_decoder.h"

namespace attnscope {
namespace {

constexpr int kGptOssExperts = 128;  // where the config is silent

Result<ModelConfig> gpt_oss_config(const nlohmann::json& json, const TensorSource& source) {
  ConfigReader config(json, "config.json");
  ModelConfig out;
  BlockSpec block = read_rotary_block(config, source, {.d_head = 64}, out);
  block.attention.sinks = true;
  if (const int experts = config.count({"num_local_experts"}, kGptOssExperts); experts > 0)
    config.refuse(fail(Code::unsupported, "error.arch.experts", {config.what(), experts}));
  const int layers = layers_of(config);
  for (int layer = 0; layer < layers && config.status(); ++layer) {
    block.attention.window = window_of(config, layer, layer % 2 == 0, 128);
    out.blocks.push_back(block);
  }
  TRY_OK(config.status());
  return out;
}

}  // namespace

Family family_gpt_oss() { return {"gpt-oss", {"gpt_oss"}, gpt_oss_config, read_rotary_weights}; }

}  // namespace attnscope
