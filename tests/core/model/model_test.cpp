// The KV cache, the comparison of weights with a config, and what a model refuses.
#include "core/model/model.h"

#include <gtest/gtest.h>

#include <cmath>

namespace attnscope {
namespace {

Tensor wave(const std::vector<std::int64_t>& sizes, double step) {
  Shape shape;
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) {
    shape.emplace_back(Axis::none, size);
    count *= size;
  }
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(static_cast<float>(0.5 * std::sin(step * static_cast<double>(i + 1))));
  return Tensor::from(std::move(values), shape);
}

ModelConfig config_of(bool gated, PositionSpec::Kind positions) {
  ModelConfig config;
  config.d_model = config.d_in = 8;
  config.vocab_size = 13;
  config.position.kind = positions;
  config.position.max_positions = 16;
  BlockSpec block;
  block.attention.n_heads = 4;
  block.attention.n_kv_heads = block.attention.d_head = 2;
  block.attention.scale = 0.7f;
  block.mlp = {gated ? MlpSpec::Kind::gated : MlpSpec::Kind::plain, Activation::silu, 20};
  block.norm.kind = gated ? NormSpec::Kind::rms : NormSpec::Kind::layer;
  config.final_norm = block.norm;
  config.blocks = {block, block};
  return config;
}

Weights weights_of(const ModelConfig& config) {
  Weights weights;
  double step = 0.3;
  for (const WeightShape& expected : expected_weights(config))
    weights.set(expected.name, wave(expected.shape, step += 0.17));
  return weights;
}

std::shared_ptr<const Model> model_of(const ModelConfig& config) {
  const auto model = Model::make(config, weights_of(config));
  EXPECT_TRUE(model) << (model ? "" : model.error().text());
  return *model;
}

TEST(KvCache, appends_and_views_all_rows) {
  KvCache cache(1);
  std::vector<Tensor> pieces;
  Tensor first_view;
  std::vector<float> first_values;
  std::int64_t total = 0;
  for (const std::int64_t rows : {3, 1, 1, 70, 1, 200}) {
    const Tensor k = wave({2, rows, 4}, 0.1 * static_cast<double>(rows)),
                 v = wave({2, rows, 4}, 0.2 * static_cast<double>(rows));
    const auto [all_k, all_v] = cache.append(0, k, v);
    cache.advance(rows);
    total += rows;
    EXPECT_EQ(all_k.sizes(), (std::vector<std::int64_t>{2, total, 4}));
    EXPECT_EQ(max_abs_difference(all_k.slice(1, total - rows, total), k), 0);
    EXPECT_EQ(max_abs_difference(all_v.slice(1, total - rows, total), v), 0);
    if (first_view.empty()) {
      first_view = all_k;
      first_values = all_k.values();
    }
  }
  EXPECT_EQ(first_view.values(), first_values);  // growing left the old view to its owner
  EXPECT_EQ(cache.length(), total);
  EXPECT_EQ(cache.bytes(), 2 * total * 2 * 4 * 4);
}

TEST(ModelRun, cache_equals_one_run_for_every_position_kind) {
  for (const auto kind : {PositionSpec::Kind::none, PositionSpec::Kind::learned,
                          PositionSpec::Kind::sinusoidal, PositionSpec::Kind::rope}) {
    for (const std::int64_t window : {0, 3}) {
      ModelConfig config = config_of(kind == PositionSpec::Kind::rope, kind);
      for (BlockSpec& block : config.blocks) block.attention.window = window;
      const auto model = model_of(config);
      const std::vector<int> ids{3, 1, 4, 1, 5, 9, 2, 6};
      const auto whole = *model->run({ids, {}});
      KvCache cache(2);
      ASSERT_TRUE(model->run({{3, 1, 4}, {}}, {}, &cache));
      for (std::size_t i = 3; i < ids.size(); ++i) {
        const auto step = *model->run({{ids[i]}, {}}, {}, &cache);
        EXPECT_EQ(step->first_pos, static_cast<std::int64_t>(i));
        EXPECT_LE(max_abs_difference(step->logits_row(0), whole->logits_row(static_cast<std::int64_t>(i))),
                  1e-5)
            << static_cast<int>(kind) << " window " << window;
      }
    }
  }
}

TEST(ModelRun, a_cancelled_run_leaves_the_cache_usable) {
  const auto model = model_of(config_of(true, PositionSpec::Kind::rope));
  KvCache cache(2);
  ASSERT_TRUE(model->run({{3, 1}, {}}, {}, &cache));
  std::atomic<bool> cancel{false};
  int seen = 0;
  RunOptions options;
  options.cancel = &cancel;
  options.on_record = [&](const Record&) { cancel = ++seen == 25; };
  EXPECT_EQ(model->run({{7}, {}}, options, &cache).error().code, Code::cancelled);
  EXPECT_EQ(cache.length(), 2);
  const auto step = *model->run({{4}, {}}, {}, &cache);
  const auto whole = *model->run({{3, 1, 4}, {}});
  EXPECT_LE(max_abs_difference(step->logits_row(0), whole->logits_row(2)), 1e-5);
}

TEST(ModelRun, refuses_inputs_in_words) {
  const auto model = model_of(config_of(false, PositionSpec::Kind::learned));
  EXPECT_EQ(model->run({}).error().code, Code::out_of_range);
  EXPECT_EQ(model->run({{0, 13}, {}}).error().code, Code::out_of_range);
  EXPECT_EQ(model->run({{-1}, {}}).error().code, Code::out_of_range);
  EXPECT_EQ(model->run({std::vector<int>(17, 1), {}}).error().code, Code::out_of_range);
  EXPECT_EQ(model->run({{}, wave({2, 8}, 1)}).error().code, Code::bad_shape);
  KvCache cache(2);
  ASSERT_TRUE(model->run({std::vector<int>(16, 1), {}}, {}, &cache));
  EXPECT_EQ(model->run({{1}, {}}, {}, &cache).error().code, Code::out_of_range);
}

TEST(CheckWeights, names_the_tensor_and_both_shapes) {
  const ModelConfig config = config_of(true, PositionSpec::Kind::rope);
  for (const WeightShape& expected : expected_weights(config)) {
    Weights weights = weights_of(config);
    std::vector<std::int64_t> wrong = expected.shape;
    ++wrong.back();
    weights.set(expected.name, wave(wrong, 1));
    const auto model = Model::make(config, std::move(weights));
    ASSERT_FALSE(model) << expected.name;
    EXPECT_EQ(model.error().code, Code::bad_shape);
    for (const std::string& part : {expected.name, shape_text(wrong), shape_text(expected.shape)})
      EXPECT_NE(model.error().sentence.find(part), std::string::npos) << model.error().sentence;
  }
}

TEST(CheckWeights, only_biases_and_norms_may_be_absent) {
  const ModelConfig config = config_of(false, PositionSpec::Kind::learned);
  for (const WeightShape& missing : expected_weights(config)) {
    Weights weights;
    const Weights all = weights_of(config);
    for (const auto& [name, tensor] : all.all())
      if (name != missing.name) weights.set(name, tensor);
    const auto model = Model::make(config, std::move(weights));
    EXPECT_EQ(static_cast<bool>(model), !missing.required) << missing.name;
    EXPECT_TRUE(!model || (*model)->run({{1, 2}, {}})) << missing.name;
  }
}

TEST(CheckWeights, sizes_that_make_no_model) {
  const auto refused = [](auto change) {
    ModelConfig config = config_of(true, PositionSpec::Kind::rope);
    change(config);
    const auto model = Model::make(config, weights_of(config_of(true, PositionSpec::Kind::rope)));
    return !model && !model.error().sentence.empty();
  };
  EXPECT_TRUE(refused([](ModelConfig& c) { c.d_model = 0; }));
  EXPECT_TRUE(refused([](ModelConfig& c) { c.blocks.clear(); }));
  EXPECT_TRUE(refused([](ModelConfig& c) { c.blocks[0].attention.n_kv_heads = 3; }));
  EXPECT_TRUE(refused([](ModelConfig& c) { c.blocks[1].attention.n_heads = 0; }));
  EXPECT_TRUE(refused([](ModelConfig& c) { c.blocks[1].attention.d_head = 3; }));
  EXPECT_TRUE(refused([](ModelConfig& c) { c.blocks[0].mlp.d_mlp = 0; }));
}

TEST(WithWeight, shares_the_rest_and_keeps_a_tied_head_tied) {
  ModelConfig config = config_of(false, PositionSpec::Kind::learned);
  config.head.tied = true;
  Weights weights = weights_of(config);
  weights.set("logits.weight", weights.get("tok_embed.weight").transpose());
  const auto model = *Model::make(config, std::move(weights));
  const auto changed =
      model->with_weight("tok_embed.weight", scale(model->weights().get("tok_embed.weight"), 2.f));
  EXPECT_EQ(changed->weights().get("logits.weight").at(3, 5),
            2 * model->weights().get("logits.weight").at(3, 5));
  EXPECT_EQ(changed->weights().get("blocks.0.attn.q.weight").data(),
            model->weights().get("blocks.0.attn.q.weight").data());
}

}  // namespace
}  // namespace attnscope
