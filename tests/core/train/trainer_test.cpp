// Training: the optimiser against plain double arithmetic, schedules at known points, the same bits on any
// number of threads, and what stops it.
#include <cmath>

#include "core/base/thread_pool.h"
#include "tests/core/train/tiny_task.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

Tensor waves(const Shape& shape, double step) {
  std::int64_t count = 1;
  for (const auto& [axis, size] : shape) count *= size;
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(static_cast<float>(std::sin(step * static_cast<double>(i + 1))));
  return Tensor::from(std::move(values), shape);
}

TEST(AdamW, agrees_with_double_arithmetic) {
  const Tensor first = waves({{Axis::in, 5}, {Axis::out, 37}}, 0.7);
  Recipe recipe;
  recipe.decay = 0.05;
  Tensor weight = first;
  AdamState state;
  const std::vector<float> begin = first.values();
  std::vector<double> w(begin.begin(), begin.end()), m(w.size()), v(w.size());
  for (int step = 1; step <= 5; ++step) {
    const Tensor gradient = waves({{Axis::in, 5}, {Axis::out, 37}}, 0.3 * step);
    weight = adamw(weight, gradient, state, recipe, 0.01, step, 0.5);
    for (std::size_t i = 0; i < w.size(); ++i) {
      const double g = 0.5 * static_cast<double>(gradient.data()[i]);
      m[i] = 0.9 * m[i] + 0.1 * g;
      v[i] = 0.98 * v[i] + 0.02 * g * g;
      const double mean = m[i] / (1 - std::pow(0.9, step)), square = v[i] / (1 - std::pow(0.98, step));
      w[i] = w[i] - 0.01 * 0.05 * w[i] - 0.01 * mean / (std::sqrt(square) + 1e-9);
    }
  }
  for (std::size_t i = 0; i < w.size(); ++i) {
    EXPECT_NEAR(weight.data()[i], w[i], 1e-6);
    EXPECT_NEAR(state.m.data()[i], m[i], 1e-6);
    EXPECT_NEAR(state.v.data()[i], v[i], 1e-6);
  }
}

TEST(AdamW, keeps_the_order_of_memory) {
  const Tensor rows = waves({{Axis::in, 6}, {Axis::out, 4}}, 0.7),
               gradient = waves({{Axis::in, 6}, {Axis::out, 4}}, 0.2);
  const Tensor columns = rows.transpose().packed().transpose();
  ASSERT_FALSE(columns.contiguous());
  AdamState a, b;
  const Tensor plain = adamw(rows, gradient, a, {}, 0.1, 1),
               transposed = adamw(columns, gradient, b, {}, 0.1, 1);
  EXPECT_EQ(plain.values(), transposed.values());
  EXPECT_EQ(transposed.stride(0), 1);
  EXPECT_EQ(a.m.values(), b.m.values());
  EXPECT_EQ(adamw(transposed, gradient, b, {}, 0.1, 2).values(),
            adamw(plain, gradient, a, {}, 0.1, 2).values());
}

TEST(AdamW, sums_of_squares) {
  const Tensor a = waves({{Axis::in, 13}, {Axis::out, 7}}, 0.7),
               b = waves({{Axis::in, 13}, {Axis::out, 7}}, 0.4);
  double squares = 0, changes = 0;
  for (std::size_t i = 0; i < 91; ++i) {
    const double x = a.values()[i], y = b.values()[i];
    squares += x * x;
    changes += (x - y) * (x - y);
  }
  EXPECT_NEAR(sum_of_squares(a), squares, 1e-10);
  EXPECT_NEAR(sum_of_squares(a.transpose()), squares, 1e-10);
  EXPECT_NEAR(sum_of_squared_changes(a, b), changes, 1e-10);
}

TEST(Schedule, rises_and_falls) {
  Recipe recipe;
  recipe.learning_rate = 2;
  recipe.warmup = 10;
  recipe.steps = 110;
  recipe.schedule = "cosine";
  EXPECT_DOUBLE_EQ(learning_rate(recipe, 0), 0.2);
  EXPECT_DOUBLE_EQ(learning_rate(recipe, 9), 2);
  EXPECT_NEAR(learning_rate(recipe, 59), 1.1, 1e-12);   // half way
  EXPECT_NEAR(learning_rate(recipe, 109), 0.2, 1e-12);  // a tenth at the last step
  recipe.schedule = "inverse_sqrt";
  EXPECT_DOUBLE_EQ(learning_rate(recipe, 4), 1);
  EXPECT_DOUBLE_EQ(learning_rate(recipe, 9), 2);
  EXPECT_DOUBLE_EQ(learning_rate(recipe, 39), 1);  // four times the warm-up: half
  recipe.schedule = "constant";
  EXPECT_DOUBLE_EQ(learning_rate(recipe, 4), 1);
  EXPECT_DOUBLE_EQ(learning_rate(recipe, 100000), 2);
  recipe.warmup = 0;
  EXPECT_DOUBLE_EQ(learning_rate(recipe, 0), 2);
}

TEST(Schedule, refuses_recipes_that_make_no_sense) {
  const auto refused = [](auto change) {
    Recipe recipe;
    change(recipe);
    const Status status = check_recipe(recipe);
    EXPECT_FALSE(status);
    return status ? Error{} : status.error();
  };
  expect_error(refused([](Recipe& r) { r.schedule = "linear"; }), {"\"linear\"", "cosine"});
  expect_error(refused([](Recipe& r) { r.batch = 0; }), {"0 sequences"});
  expect_error(refused([](Recipe& r) { r.learning_rate = NAN; }), {"learning rate"});
  expect_error(refused([](Recipe& r) { r.smoothing = 1; }), {"smoothing"});
  expect_error(refused([](Recipe& r) { r.clip = -1; }), {"clipped"});
  expect_error(refused([](Recipe& r) { r.beta2 = 1; }), {"AdamW"});
  expect_error(refused([](Recipe& r) { r.warmup = -1; }), {"warm-up"});
  EXPECT_TRUE(check_recipe({}));
}

double deviation(const Tensor& tensor) {
  return std::sqrt(sum_of_squares(tensor) / static_cast<double>(tensor.count()));
}

TEST(FirstWeights, widths_norms_and_ties) {
  const ModelConfig config = *Counting().config({2, 4, 0, 192, 768, "", ""});
  const Weights weights = first_weights(config, 5);
  EXPECT_TRUE(check_weights(config, weights));
  EXPECT_NEAR(deviation(weights.get("blocks.0.attn.q.weight")), 0.04, 0.001);
  EXPECT_NEAR(deviation(weights.get("blocks.1.mlp.out.weight")), 0.01, 0.0003);  // 0.02 / sqrt(2 * 2)
  EXPECT_EQ(weights.get("blocks.1.ln2.weight").at(7), 1.f);
  EXPECT_EQ(weights.get("blocks.1.ln2.bias").at(7), 0.f);
  EXPECT_EQ(weights.get("blocks.0.mlp.pre.bias").count(), 768);
  EXPECT_TRUE(weights.get("logits.weight").same_place(weights.get("tok_embed.weight")));
  EXPECT_FALSE(weights.find("logits.bias"));
  EXPECT_EQ(weights.get("blocks.0.attn.q.weight").values(),
            first_weights(config, 5).get("blocks.0.attn.q.weight").values());
  EXPECT_NE(weights.get("blocks.0.attn.q.weight").values(),
            first_weights(config, 6).get("blocks.0.attn.q.weight").values());
  EXPECT_NE(weights.get("blocks.0.attn.q.weight").values(), weights.get("blocks.1.attn.q.weight").values());
}

TEST(FirstWeights, no_biases_beside_rms_norms) {
  ModelConfig config = *Counting().config({});
  for (BlockSpec& block : config.blocks) block.norm = {NormSpec::Kind::rms, 1e-6f, 1.f};
  config.final_norm = {NormSpec::Kind::rms, 1e-6f, 1.f};
  const Weights weights = first_weights(config, 1);
  for (const auto& [name, value] : weights.all()) EXPECT_EQ(name.find(".bias"), std::string::npos) << name;
  EXPECT_EQ(weights.get("blocks.0.ln1.weight").at(0), 0.f);  // the file stores gamma - 1
}

TEST(Trainer, learns) {
  Recipe recipe = Counting().recipe();
  recipe.steps = 300;
  recipe.batch = 16;
  Trainer trainer = counting_trainer(recipe);
  const double before = (*trainer.measure_held_out(50)).loss;
  take_steps(trainer, recipe.steps);
  const HeldOut after = *trainer.measure_held_out(50);
  EXPECT_NEAR(before, std::log(7.0), 0.5);
  EXPECT_LT(after.loss, 0.5 * before);
  EXPECT_GT(after.accuracy, 0.7);
  EXPECT_EQ(trainer.state().held_out.size(), 2u);
  EXPECT_EQ(after.step, 300);
}

TEST(Trainer, reports_what_happened) {
  Recipe recipe = Counting().recipe();
  recipe.smoothing = 0.2;
  recipe.clip = 0.01;
  Trainer trainer = counting_trainer(recipe);
  const auto before = trainer.state().model;
  const StepReport report = *trainer.step();
  EXPECT_EQ(report.step, 1);
  EXPECT_DOUBLE_EQ(report.learning_rate, learning_rate(recipe, 0));
  EXPECT_GT(report.loss, 0);
  EXPECT_NE(report.loss, report.plain_loss);
  EXPECT_GT(report.gradient_norm, recipe.clip);
  double squares = 0, moves = 0, moved = 0;
  for (const auto& [layer, norm] : report.layer_gradients) squares += norm * norm;
  for (const auto& [layer, norm] : report.layer_updates) moves += norm * norm;
  EXPECT_NEAR(std::sqrt(squares), report.gradient_norm, 1e-9);
  for (const std::string& name : parameters(before->config(), before->weights()))
    moved += sum_of_squared_changes(trainer.state().model->weights().get(name), before->weights().get(name));
  EXPECT_NEAR(moves, moved, 1e-12);
  std::vector<std::string> layers;
  for (const auto& [layer, norm] : report.layer_gradients) layers.push_back(layer);
  EXPECT_EQ(layers, (std::vector<std::string>{"blocks.0", "embed", "head"}));
  std::int64_t rows = 0;
  for (int i = 0; i < recipe.batch; ++i) rows += Counting().example(3, Split::train, i).input.length();
  EXPECT_EQ(report.tokens, rows);
  EXPECT_TRUE(trainer.state()
                  .model->weights()
                  .get("logits.weight")
                  .same_place(trainer.state().model->weights().get("tok_embed.weight")));
}

// The loss is the mean over the counted rows of the whole batch, not of each sequence; the first rows have no
// target.
TEST(Trainer, counts_the_rows_with_a_target) {
  Trainer trainer = counting_trainer();
  const Model& model = *trainer.state().model;
  double sum = 0;
  int counted = 0;
  for (int i = 0; i < trainer.recipe().batch; ++i) {
    const Example example = Counting().example(3, Split::train, i);
    EXPECT_EQ(example.targets.front(), kNotCounted);
    for (std::size_t row = 1; row + 1 < example.targets.size(); ++row)
      EXPECT_EQ(example.targets[row], example.input.ids[row + 1]);  // shifted by one
    const auto trace = *model.run(example.input);
    for (std::size_t row = 1; row < example.targets.size(); ++row) {
      const std::vector<float> logits = trace->logits_row(static_cast<std::int64_t>(row)).values();
      double total = 0;
      for (const float logit : logits) total += std::exp(static_cast<double>(logit));
      sum += std::log(total) - static_cast<double>(logits[static_cast<std::size_t>(example.targets[row])]);
      ++counted;
    }
  }
  EXPECT_NEAR((*trainer.step()).loss, sum / counted, 1e-5);
}

TEST(Trainer, same_bits_on_any_number_of_threads) {
  set_thread_count(1);
  Trainer one = counting_trainer();
  take_steps(one, 6);
  for (const int threads : {2, 3}) {
    set_thread_count(threads);
    Trainer other = counting_trainer();
    take_steps(other, 6);
    expect_same_weights(one, other);
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_EQ(one.state().reports[i].loss, other.state().reports[i].loss);
      EXPECT_EQ(one.state().reports[i].gradient_norm, other.state().reports[i].gradient_norm);
    }
  }
  set_thread_count(0);
}

TEST(Trainer, another_seed_is_another_run) {
  Trainer a = counting_trainer(), b = counting_trainer(Counting().recipe(), {}, 4);
  EXPECT_NE((*a.step()).loss, (*b.step()).loss);
}

TEST(Trainer, rate_and_smoothing_change_while_it_runs) {
  Trainer trainer = counting_trainer();
  take_steps(trainer, 1);
  trainer.set_learning_rate_factor(0.5);
  trainer.set_smoothing(0.3);
  const StepReport report = *trainer.step();
  EXPECT_DOUBLE_EQ(report.learning_rate, 0.5 * learning_rate(trainer.recipe(), 1));
  EXPECT_NE(report.loss, report.plain_loss);
}

// Huge weights break a step of the forward pass; a rate that no float can hold breaks the weights themselves.
TEST(Trainer, stops_where_numbers_end) {
  for (const auto& [factor, where] : {std::pair{1e38, "step blocks.0."}, {1e300, "weight blocks.0."}}) {
    Trainer trainer = counting_trainer();
    take_steps(trainer, 1);
    trainer.set_learning_rate_factor(factor);
    take_steps(trainer, 1);
    const auto model = trainer.state().model;
    const auto stopped = trainer.step();
    ASSERT_FALSE(stopped);
    expect_error(stopped.error(), {"Step 3", "the loss", where, "learning rate"});
    EXPECT_EQ(trainer.state().step, 2);
    EXPECT_EQ(trainer.state().model, model);
    EXPECT_EQ(trainer.state().reports.size(), 2u);
  }
}

// In the first column alone, or everywhere.
Tensor filled_like(const Tensor& like, float value, bool first_column = false) {
  std::vector<float> values(static_cast<std::size_t>(like.count()), value);
  const std::size_t columns = first_column ? static_cast<std::size_t>(like.size(1)) : 1;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i % columns != 0) values[i] = 0;
  Shape shape;
  for (int d = 0; d < like.rank(); ++d) shape.emplace_back(like.axis(d), like.size(d));
  return Tensor::from(std::move(values), shape);
}

// The loss of this model is an ordinary number: its MLP says nothing, since what goes into it is multiplied
// by zeros. The way back multiplies the huge weights on either side of those zeros.
TEST(Trainer, stops_where_only_the_gradient_ends) {
  Trainer trainer = counting_trainer();
  take_steps(trainer, 2);
  const ModelConfig& config = trainer.state().model->config();
  const Weights& good = trainer.state().model->weights();
  std::map<std::string, Tensor> changed;
  const auto change = [&](const std::string& name, float value, bool first_column = false) {
    changed[name] = filled_like(good.get(name), value, first_column);
  };
  change("blocks.0.ln2.weight", 1e25f);
  change("blocks.0.mlp.pre.weight", 0);
  change("blocks.0.mlp.pre.bias", 0);
  change("blocks.0.mlp.out.weight", 1e25f, true);  // gradients behind a LayerNorm add up to nothing
  TrainState state = trainer.state();
  state.model =
      std::make_shared<const Model>(std::make_shared<const ModelConfig>(config),
                                    std::make_shared<const Weights>(with_parameters(config, good, changed)));
  const auto broken = state.model;
  ASSERT_TRUE(trainer.resume(std::move(state)));
  EXPECT_TRUE(std::isfinite((*trainer.measure_held_out(5)).loss));
  const auto stopped = trainer.step();
  ASSERT_FALSE(stopped);
  expect_error(stopped.error(), {"Step 3", "the gradient blocks.0.mlp.pre.weight.grad", "learning rate"});
  EXPECT_EQ(stopped.error().text().find("the loss"), std::string::npos) << stopped.error().text();
  EXPECT_EQ(trainer.state().step, 2);
  EXPECT_EQ(trainer.state().model, broken) << "nothing was moved";
  EXPECT_EQ(trainer.state().reports.size(), 2u);
}

TEST(Trainer, stops_when_asked) {
  Trainer trainer = counting_trainer();
  const std::atomic<bool> cancel{true};
  const auto stopped = trainer.step(&cancel);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code(), Code::cancelled);
  EXPECT_EQ(trainer.state().step, 0);
}

TEST(Trainer, refuses_sizes_that_do_not_divide) {
  const auto made = Trainer::make(std::make_shared<const Counting>(), {1, 3, 0, 16, 0, "", ""}, {}, 1);
  ASSERT_FALSE(made);
  expect_error(made.error(), {"16", "3 heads"});
}

}  // namespace
}  // namespace attnscope
