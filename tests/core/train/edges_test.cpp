// Where a training's numbers come to their ends: sequences without targets, sizes that just fit, warm-ups
// longer than the run, recipes that no float can follow.
#include <algorithm>
#include <cmath>

#include "core/io/writers.h"
#include "core/text/tokenizer.h"
#include "core/train/card.h"
#include "core/train/data_file.h"
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
      EXPECT_DOUBLE_EQ(learning_rate(recipe, step), recipe.learning_rate * (step + 1) / 40) << schedule;
  }
  recipe.schedule = "cosine";
  recipe.warmup = 10;
  EXPECT_DOUBLE_EQ(learning_rate(recipe, 9), recipe.learning_rate);
  EXPECT_NEAR(learning_rate(recipe, 10), 0.1 * recipe.learning_rate, 1e-12);  // behind the end
  EXPECT_NEAR(learning_rate(recipe, 1'000'000), 0.1 * recipe.learning_rate, 1e-12);
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

// What was kept when the numbers ended can be read, and says what ended.
TEST(Edges, a_checkpoint_behind_the_end_of_numbers_is_read) {
  const TempFolder folder;
  Trainer trainer = counting_trainer();
  take_steps(trainer, 1);
  trainer.set_learning_rate_factor(1e300);
  take_steps(trainer, 1);
  ASSERT_TRUE(save_checkpoint(folder / "c.safetensors", trainer));
  Trainer later = counting_trainer();
  auto state = read_checkpoint(folder / "c.safetensors", later);
  ASSERT_TRUE(state) << state.error().text();
  ASSERT_TRUE(later.resume(*std::move(state)));
  EXPECT_FALSE(std::isfinite(later.state().reports.back().layer_updates.at("blocks.0")));
  expect_error(later.step().error(), {"Step 3", "weight blocks.0."});
}

// As JSON they would not fit into the head of a file, and the run would be lost.
TEST(Edges, a_long_run_is_kept_and_read) {
  const TempFolder folder;
  Trainer trainer = counting_trainer();
  take_steps(trainer, 1);
  TrainState state = trainer.state();
  state.reports.assign(250'000, state.reports.front());
  for (std::size_t i = 0; i < state.reports.size(); ++i) state.reports[i].step = static_cast<int>(i) + 1;
  ASSERT_TRUE(trainer.resume(std::move(state)));
  ASSERT_TRUE(save_checkpoint(folder / "c.safetensors", trainer));
  const auto read = read_checkpoint(folder / "c.safetensors", counting_trainer());
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_EQ(read->reports.size(), 250'000u);
  EXPECT_EQ(read->reports.back().step, 250'000);
  EXPECT_EQ(read->reports[7].layer_gradients, trainer.state().reports[7].layer_gradients);
}

TEST(Edges, checkpoints_that_lie_are_refused) {
  const TempFolder folder;
  const std::string path = folder / "c.safetensors";
  const Trainer trainer = counting_trainer();
  const auto refused = [&](const std::string& more, const std::vector<NamedInts>& tables,
                           std::initializer_list<const char*> parts) {
    const std::string head = R"({"task": "counting", "sizes": {}, "recipe": {})" + more + "}";
    ASSERT_TRUE(write_safetensors(path, {{"x", Tensor::filled({{Axis::none, 3}}, 1)}}, tables,
                                  {{"attnscope_checkpoint", head}}));
    const auto read = read_checkpoint(path, trainer);
    ASSERT_FALSE(read) << head;
    expect_error(read.error(), parts);
  };
  refused(R"(, "step": 2147483647)", {}, {"2147483647"});  // one step more would be none
  refused(R"(, "layers": 3)", {{"reports", std::vector<std::int64_t>(8), {1, 8}}}, {"layers"});
  refused(R"(, "layers": [3])", {{"reports", std::vector<std::int64_t>(10), {1, 10}}}, {"layers"});
  refused("", {{"reports", std::vector<std::int64_t>(10), {1, 10}}}, {"reports", "columns"});
  refused("", {{"reports", std::vector<std::int64_t>(8), {8}}}, {"reports", "columns"});
  refused("", {{"reports", {-5, 0, 0, 0, 0, 0, 0, 0}, {1, 8}}}, {"reports", "counts"});
  refused("", {{"held_out", {std::int64_t{1} << 40, 0, 0, 0}, {1, 4}}}, {"held_out", "counts"});
  Trainer backwards = counting_trainer();
  backwards.set_learning_rate_factor(-1);
  ASSERT_TRUE(save_checkpoint(path, backwards));
  expect_error(read_checkpoint(path, trainer).error(), {"learning rate by -1"});
}

// Every word of the file is one that the tokenizer finds: wide and narrow spaces divide words, the mark that
// opens a file is none, and nothing hides a special word.
TEST(Edges, words_of_a_file_are_those_of_its_tokenizer) {
  const std::string text =
      "\xEF\xBB\xBFthe\xC2\xA0 cat\xE3\x80\x80sat\x0Con mats\nthe\xE2\x80\x89"
      "dog ran\tand ran\r\n";
  const auto task = task_of_text(text, "lines.txt");
  ASSERT_TRUE(task) << task.error().text();
  const auto tokenizer = tokenizer_from_json((*task)->tokenizer().dump(), "tokenizer.json");
  ASSERT_TRUE(tokenizer) << tokenizer.error().text();
  std::vector<std::vector<int>> lines;
  for (const char* line : {"the cat sat on mats", "the dog ran and ran"}) {
    lines.push_back((*tokenizer)->encode(line)->ids());
    EXPECT_EQ(std::count(lines.back().begin(), lines.back().end(), 1), 0) << line;
  }
  const std::vector<int> kept[] = {(*task)->example(1, Split::train, 0).input.ids,
                                   (*task)->example(1, Split::held_out, 0).input.ids};
  EXPECT_TRUE((kept[0] == lines[0] && kept[1] == lines[1]) || (kept[0] == lines[1] && kept[1] == lines[0]));
  expect_error(task_of_text("a b\nc <end>d\n", "lines.txt").error(), {"line 2", "<end>d", "kept"});
  expect_error(task_of_text("a b\na a\n", "lines.txt", "a\nb\nx<unk>\n", "words.txt").error(),
               {"words.txt, line 3", "x<unk>"});
}

// Whoever types the command gets the same run, so no digit may be lost.
TEST(Edges, a_card_tells_its_numbers_exactly) {
  Card card;
  card.task = "sorter";
  card.recipe = (*find_task("sorter"))->recipe();
  card.recipe.learning_rate = 0.00123456789;
  card.recipe.warmup = 2'000'000;
  const std::string text = card_text(card);
  EXPECT_NE(text.find(" --learning-rate 0.00123456789 --warmup 2000000 --seed"), std::string::npos) << text;
}

}  // namespace
}  // namespace attnscope
