// Where a training's numbers come to their ends: sequences without targets, sizes that just fit, warm-ups
// longer than the run, recipes that no float can follow.
#include <cmath>

#include "tests/core/train/tiny_task.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

/// Of every `share` sequences only the first has targets; none of them where it is 0.
class SeldomCounting final : public Counting {
 public:
  explicit SeldomCounting(int share) : share_(share) {}
  Example example(std::uint64_t seed, Split split, std::int64_t number) const override {
    Example out = Counting::example(seed, split, number);
    if (share_ == 0 || number % share_ != 0) out.targets.assign(out.targets.size(), kNotCounted);
    return out;
  }

 private:
  int share_;
};

/// Every second sequence of Counting.
class EvenCounting final : public Counting {
 public:
  Example example(std::uint64_t seed, Split split, std::int64_t number) const override {
    return Counting::example(seed, split, 2 * number);
  }
};

Trainer trainer_of(std::shared_ptr<const Task> task, int batch) {
  Recipe recipe = task->recipe();
  recipe.batch = batch;
  return *Trainer::make(std::move(task), {}, recipe, 3);
}

TEST(Edges, sequences_without_targets_teach_nothing) {
  Trainer seldom = trainer_of(std::make_shared<const SeldomCounting>(2), 6),
          even = trainer_of(std::make_shared<const EvenCounting>(), 3);
  take_steps(seldom, 3);
  take_steps(even, 3);
  expect_same_weights(seldom, even);
  EXPECT_EQ(seldom.state().reports.back().tokens, even.state().reports.back().tokens);
  EXPECT_EQ(seldom.state().reports.back().loss, even.state().reports.back().loss);
}

TEST(Edges, a_batch_without_any_target_is_refused) {
  Trainer trainer = trainer_of(std::make_shared<const SeldomCounting>(0), 4);
  const auto report = trainer.step();
  ASSERT_FALSE(report);
  expect_error(report.error(), {"No row of the batch has a target", "larger batches"});
  EXPECT_EQ(trainer.state().step, 0);
}

TEST(Edges, a_width_alone_chooses_heads_that_fit) {
  TaskSizes chosen;
  for (const int width : {64, 66, 72, 90, 102}) {
    chosen.d_model = width;
    const auto config = (*find_task("storyteller-llama"))->config(chosen);
    ASSERT_TRUE(config) << width << ": " << config.error().text();
    const AttentionSpec& attention = config->blocks.front().attention;
    EXPECT_EQ(attention.n_heads * attention.d_head, width);
    EXPECT_EQ(attention.n_heads % attention.n_kv_heads, 0);
  }
}

TEST(Edges, recipes_at_their_limits) {
  const auto refused = [](auto change) {
    Recipe recipe;
    change(recipe);
    return !check_recipe(recipe);
  };
  EXPECT_TRUE(refused([](Recipe& r) { r.batch = 2'000'000'000; }));
  EXPECT_TRUE(
      refused([](Recipe& r) { r.epsilon = 1e-60; }));  // 0 as a float: 0 / 0 where nothing was learned
  EXPECT_TRUE(refused([](Recipe& r) { r.decay = INFINITY; }));
  EXPECT_FALSE(refused([](Recipe& r) { r.clip = 0; }));
  EXPECT_FALSE(refused([](Recipe& r) { r.warmup = 0; }));
  EXPECT_FALSE(refused([](Recipe& r) { r.epsilon = 1e-20; }));
}

TEST(Edges, a_warm_up_longer_than_the_run_only_rises) {
  Recipe recipe;
  recipe.steps = 10;
  recipe.warmup = 40;
  for (const char* schedule : {"cosine", "inverse_sqrt", "constant"}) {
    recipe.schedule = schedule;
    for (int step = 0; step < 10; ++step)
      EXPECT_DOUBLE_EQ(learning_rate(recipe, step), recipe.rate * (step + 1) / 40) << schedule;
  }
  recipe.schedule = "cosine";
  recipe.warmup = 10;
  EXPECT_DOUBLE_EQ(learning_rate(recipe, 9), recipe.rate);
  EXPECT_NEAR(learning_rate(recipe, 10), 0.1 * recipe.rate, 1e-12);  // behind the end
  EXPECT_NEAR(learning_rate(recipe, 1'000'000), 0.1 * recipe.rate, 1e-12);
}

TEST(Edges, without_clipping_the_gradient_is_taken_as_it_is) {
  Recipe recipe = Counting().recipe();
  recipe.clip = 0;
  Trainer free = counting_trainer(recipe);
  recipe.clip = 1e30;
  Trainer wide = counting_trainer(recipe);
  take_steps(free, 2);
  take_steps(wide, 2);
  expect_same_weights(free, wide);
}

}  // namespace
}  // namespace attnscope
