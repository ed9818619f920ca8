#include "core/arch/random_model.h"

#include "core/base/text.h"
#include "core/trace/ties.h"

namespace attnscope {
namespace {

ModelConfig gpt2_small() {
  ModelConfig config;
  config.family = "GPT-2 shape";
  config.d_model = config.d_in = 768;
  config.vocab_size = 50257;
  config.position.kind = PositionSpec::Kind::learned;
  config.position.max_positions = 1024;
  config.head = {true, true};
  BlockSpec block;
  block.attention.n_heads = block.attention.n_kv_heads = 12;
  block.attention.d_head = 64;
  block.attention.scale = 0.125f;
  block.mlp.d_mlp = 3072;
  config.blocks.assign(12, block);
  return config;
}

// Evenly spread over (-spread, spread) by a linear congruence: cheap, and never all alike.
Tensor spread_values(const Shape& shape, float spread, std::uint32_t state) {
  Buffer out(shape);
  for (std::int64_t i = 0; i < out.count(); ++i) {
    state = state * 1664525u + 1013904223u;
    out.data()[i] = spread * (static_cast<float>(state >> 8) * (2.f / 16777216.f) - 1.f);
  }
  return std::move(out).freeze();
}

}  // namespace

Result<OpenedModel> random_gpt2_small() {
  const ModelConfig config = gpt2_small();
  std::vector<WeightShape> weights = expected_weights(config);
  std::erase_if(weights, [](const WeightShape& weight) { return weight.name == "logits.bias"; });
  TRY(OpenedModel out, random_model(config, weights));
  out.title = out.path = kRandomModel;
  return out;
}

Result<OpenedModel> random_model(ModelConfig config, const std::vector<WeightShape>& shapes) {
  Weights weights;
  std::uint32_t state = 1;
  for (const WeightShape& expected : shapes) {
    if (is_tied(config, expected.name)) continue;
    const bool norm =
                   expected.name.find("ln") != std::string::npos || ends_with(expected.name, "_norm.weight"),
               bias = ends_with(expected.name, ".bias");
    const Shape shape = named_shape(expected);
    weights.set(expected.name, norm && !bias ? Tensor::filled(shape, 1.f)
                                             : spread_values(shape, norm || bias ? 0.f : 0.035f, state));
    ++state;
  }
  tie_tables(config, weights);
  OpenedModel out;
  out.family = config.family;
  out.dtype = "F32";
  TRY(out.model, Model::make(std::move(config), std::move(weights)));
  for (const auto& [part, count] : parameters_by_part(out.model->config(), out.model->weights()))
    out.file_bytes += static_cast<std::uint64_t>(count) * sizeof(float);
  return out;
}

}  // namespace attnscope
