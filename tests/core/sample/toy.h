// A language model of two blocks whose weights come from a seed.
#pragma once

#include <gtest/gtest.h>

#include "core/arch/scene.h"
#include "core/sample/sampler.h"

namespace attnscope::testing {

inline std::shared_ptr<const Model> toy(std::int64_t positions, int eos = -1) {
  ModelConfig config;
  config.d_model = config.d_in = 16;
  config.vocab_size = 23;
  config.eos = eos;
  config.position.kind = PositionSpec::Kind::learned;
  config.position.max_positions = positions;
  config.head = {true, false};
  BlockSpec block;
  block.attention.n_heads = block.attention.n_kv_heads = 2;
  block.attention.d_head = 8;
  block.attention.scale = 0.35f;
  block.mlp.d_mlp = 32;
  config.blocks = {block, block};
  auto model = Model::make(config, random_weights(config, 7));
  EXPECT_TRUE(model) << (model ? "" : model.error().text());
  return *model;
}

inline Input tokens(std::vector<int> ids) {
  Input out;
  out.ids = std::move(ids);
  return out;
}

inline Tensor logits_of(std::vector<float> logits) {
  const auto count = static_cast<std::int64_t>(logits.size());
  return Tensor::from(std::move(logits), {{Axis::vocab, count}});
}

}  // namespace attnscope::testing
