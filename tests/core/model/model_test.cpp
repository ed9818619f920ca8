// The KV cache, the comparison of weights with a config, and what a model refuses.
#include "core/model/model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/model/measure.h"
#include "core/ops/op_count.h"

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

enum class Place : std::uint8_t { none, learned, sinusoidal, rope };

ModelConfig config_of(bool gated, Place positions) {
  ModelConfig config;
  config.d_model = config.d_in = 8;
  config.vocab_size = 13;
  if (positions == Place::learned) config.position.kind = PositionSpec::Kind::learned;
  if (positions == Place::sinusoidal) config.position.kind = PositionSpec::Kind::sinusoidal;
  config.position.max_positions = 16;
  BlockSpec block;
  block.attention.n_heads = 4;
  block.attention.n_kv_heads = block.attention.d_head = 2;
  block.attention.scale = 0.7f;
  if (positions == Place::rope) block.attention.position.kind = AttentionPosition::Kind::rope;
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

TEST(KvRows, appends_and_shares_what_was_there) {
  std::shared_ptr<KvRows> store;
  Tensor all_k, all_v, first_view;
  std::vector<float> first_values;
  std::int64_t total = 0;
  for (const std::int64_t rows : {3, 1, 1, 70, 1, 200}) {
    const Tensor k = wave({2, rows, 4}, 0.1 * static_cast<double>(rows)),
                 v = wave({2, rows, 4}, 0.2 * static_cast<double>(rows));
    if (total == 0) {
      all_k = k, all_v = v;
    } else {
      const auto grown = KvRows::extended(store, all_k, all_v, total, k, v);
      all_k = grown.k, all_v = grown.v, store = grown.store;
    }
    total += rows;
    EXPECT_EQ(all_k.sizes(), (std::vector<std::int64_t>{2, total, 4}));
    EXPECT_EQ(max_abs_difference(all_k.slice(1, total - rows, total), k), 0);
    EXPECT_EQ(max_abs_difference(all_v.slice(1, total - rows, total), v), 0);
    if (total == 4) first_view = all_k, first_values = all_k.values();
  }
  EXPECT_EQ(first_view.values(), first_values);  // growing left the old view to its owner
}

TEST(KvRows, a_second_run_from_the_same_place_gets_memory_of_its_own) {
  const Tensor k = wave({2, 3, 4}, 0.1), v = wave({2, 3, 4}, 0.2), one = wave({2, 1, 4}, 0.3),
               other = wave({2, 1, 4}, 0.4);
  const auto first = KvRows::extended(nullptr, k, v, 3, one, one);
  const auto longer = KvRows::extended(first.store, first.k, first.v, 4, one, one);
  const auto aside = KvRows::extended(first.store, first.k, first.v, 4, other, other);
  EXPECT_EQ(longer.store, first.store);
  EXPECT_NE(aside.store, first.store);
  EXPECT_EQ(max_abs_difference(longer.k.slice(1, 4, 5), one), 0);
  EXPECT_EQ(max_abs_difference(aside.k.slice(1, 4, 5), other), 0);
}

TEST(ModelRun, token_by_token_equals_one_run_for_every_position_kind) {
  for (const auto kind : {Place::none, Place::learned, Place::sinusoidal, Place::rope}) {
    for (const std::int64_t window : {0, 3}) {
      ModelConfig config = config_of(kind == Place::rope, kind);
      for (BlockSpec& block : config.blocks) block.attention.window = window;
      const auto model = model_of(config);
      const std::vector<int> ids{3, 1, 4, 1, 5, 9, 2, 6};
      const auto whole = *model->run({ids, {}});
      RunOptions options;
      options.keep = Keep::predictions;
      options.base = *model->run({{3, 1, 4}, {}}, options);
      for (std::int64_t i = 3; i < 8; ++i) {
        const Input input{{ids.begin(), ids.begin() + i + 1}, {}};
        const Cone cone = *model->cone(input, options);
        EXPECT_EQ(cone.block_rows(), 2);
        options.base = *model->run(input, options);
        EXPECT_LE(max_abs_difference(options.base->logits_row(i), whole->logits_row(i)), 1e-5)
            << static_cast<int>(kind) << " window " << window;
      }
    }
  }
}

TEST(ModelRun, a_cancelled_run_leaves_its_base_usable) {
  const auto model = model_of(config_of(true, Place::rope));
  RunOptions from, options;
  from.keep = Keep::predictions;
  from.base = *model->run({{3, 1}, {}}, from);
  options = from;
  std::atomic<bool> cancel{false};
  int seen = 0;
  options.cancel = &cancel;
  options.on_record = [&](const Record&) { cancel = ++seen == 25; };
  EXPECT_EQ(model->run({{3, 1, 7}, {}}, options).error().code(), Code::cancelled);
  const auto step = *model->run({{3, 1, 4}, {}}, from);
  const auto whole = *model->run({{3, 1, 4}, {}});
  EXPECT_LE(max_abs_difference(step->logits_row(2), whole->logits_row(2)), 1e-5);
}

TEST(ModelRun, refuses_inputs_in_words) {
  const auto model = model_of(config_of(false, Place::learned));
  EXPECT_EQ(model->run({}).error().code(), Code::out_of_range);
  EXPECT_EQ(model->run({{0, 13}, {}}).error().code(), Code::out_of_range);
  EXPECT_EQ(model->run({{-1}, {}}).error().code(), Code::out_of_range);
  EXPECT_EQ(model->run({std::vector<int>(17, 1), {}}).error().code(), Code::out_of_range);
  EXPECT_EQ(model->run({{}, wave({2, 8}, 1)}).error().code(), Code::bad_shape);
  Input segments{{1, 2}, {}};
  segments.types = {0, 1};
  EXPECT_NE(model->run(segments).error().sentence().find("no segments"), std::string::npos);
  RunOptions options;
  options.base = *model->run({std::vector<int>(16, 1), {}});
  EXPECT_EQ(model->run({std::vector<int>(17, 1), {}}, options).error().code(), Code::out_of_range);
}

TEST(ModelRun, refuses_images_that_are_no_numbers) {
  ModelConfig config = config_of(false, Place::none);
  config.vocab_size = 0;
  config.head.outputs = 3;
  config.patch = {2, 3, 2, 2, false};
  const auto model = model_of(std::move(config));
  Input input;
  input.pixels = wave({3, 4, 4}, 1);
  ASSERT_TRUE(model->run(input)) << model->run(input).error().text();
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    input.pixels = wave({3, 4, 4}, 1).with_value({2, 1, 0}, bad);
    const auto ran = model->run(input);
    ASSERT_FALSE(ran);
    const char* said = std::isnan(bad) ? "1 numbers that are NaN" : "1 that are infinite";
    EXPECT_NE(ran.error().sentence().find(said), std::string::npos) << ran.error().sentence();
  }
}

TEST(ModelRun, a_stand_in_without_weights_never_runs) {
  const Model stand_in(std::make_shared<const ModelConfig>(config_of(false, Place::learned)),
                       std::make_shared<const Weights>());
  const auto ran = stand_in.run({{1, 2}, {}});
  ASSERT_FALSE(ran);
  EXPECT_NE(ran.error().sentence().find("recording"), std::string::npos);
}

TEST(CheckWeights, names_the_tensor_and_both_shapes) {
  const ModelConfig config = config_of(true, Place::rope);
  for (const WeightShape& expected : expected_weights(config)) {
    Weights weights = weights_of(config);
    std::vector<std::int64_t> wrong = expected.shape;
    ++wrong.back();
    weights.set(expected.name, wave(wrong, 1));
    const auto model = Model::make(config, std::move(weights));
    ASSERT_FALSE(model) << expected.name;
    EXPECT_EQ(model.error().code(), Code::bad_shape);
    for (const std::string& part : {expected.name, shape_text(wrong), shape_text(expected.shape)})
      EXPECT_NE(model.error().sentence().find(part), std::string::npos) << model.error().sentence();
  }
}

TEST(CheckWeights, only_biases_and_norms_may_be_absent) {
  const ModelConfig config = config_of(false, Place::learned);
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
    ModelConfig config = config_of(true, Place::rope);
    change(config);
    const auto model = Model::make(config, weights_of(config_of(true, Place::rope)));
    return !model && !model.error().sentence().empty();
  };
  EXPECT_TRUE(refused([](ModelConfig& c) { c.d_model = 0; }));
  EXPECT_TRUE(refused([](ModelConfig& c) { c.blocks.clear(); }));
  EXPECT_TRUE(refused([](ModelConfig& c) { c.blocks[0].attention.n_kv_heads = 3; }));
  EXPECT_TRUE(refused([](ModelConfig& c) { c.blocks[1].attention.n_heads = 0; }));
  EXPECT_TRUE(refused([](ModelConfig& c) { c.blocks[1].attention.d_head = 3; }));
  EXPECT_TRUE(refused([](ModelConfig& c) { c.blocks[0].mlp.d_mlp = 0; }));
}

TEST(EditedWeight, shares_the_rest_and_a_tied_head_is_one_weight) {
  ModelConfig config = config_of(false, Place::learned);
  config.head.tied = true;
  Weights weights = weights_of(config);
  weights.set("tok_embed.weight", weights.get("tok_embed.weight").rename({Axis::vocab, Axis::d_model}));
  weights.set("logits.weight", weights.get("tok_embed.weight").transpose().rename({Axis::in, Axis::vocab}));
  const auto model = *Model::make(config, std::move(weights));
  const float before = model->weights().get("tok_embed.weight").at(5, 3);
  for (const char* edit : {"tok_embed.weight[vocab=5,d_model=3]*=2", "logits.weight[in=3,vocab=5]*=2"}) {
    RunOptions options;
    options.edits = {*parse_edit(edit)};
    const auto run = *model->run({{5, 1}, {}}, options);
    EXPECT_EQ(run->weights().get("tok_embed.weight").at(5, 3), 2 * before) << edit;
    EXPECT_EQ(run->weights().get("logits.weight").at(3, 5), 2 * before) << edit;
    EXPECT_EQ(run->weights().get("blocks.0.attn.q.weight").data(),
              model->weights().get("blocks.0.attn.q.weight").data());
    EXPECT_EQ(run->cell(site_of(Slot::tok_embed), {0, 3}), 2 * before);
  }
}

// One or two logits are read without the others, and are the same numbers.
TEST(Measure, reads_the_logits_that_it_needs) {
  const ModelConfig config = config_of(true, Place::rope);
  const auto model = model_of(config);
  for (const char* edit : {"", "logits[vocab=4]*=3", "blocks.1.mlp.out*=0"}) {
    RunOptions options;
    if (*edit) options.edits = {*parse_edit(edit)};
    const auto run = *model->run({{5, 1, 7}, {}}, options), whole = *model->run({{5, 1, 7}, {}}, options);
    for (const auto kind : {LogitMeasure::Kind::logit, LogitMeasure::Kind::logit_diff}) {
      const LogitMeasure measure{kind, 4, 9, -1, {}};
      OpCount count;
      double value = 0;
      {
        const CountOps counted(count);
        value = *measured(measure, *run);
      }
      EXPECT_EQ(value, measure_value(measure, whole->logits_row(2))) << edit;
      if (std::string(edit) == "logits[vocab=4]*=3") continue;
      EXPECT_EQ(count.products, (kind == LogitMeasure::Kind::logit ? 1 : 2) * config.d_model) << edit;
    }
  }
}

}  // namespace
}  // namespace attnscope
