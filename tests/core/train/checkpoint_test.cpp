// Checkpoints: going on bit for bit, surviving a full disk, and refusing what belongs to others.
#include <sys/resource.h>

#include <csignal>
#include <fstream>

#include "core/io/safetensors.h"
#include "core/io/writers.h"
#include "tests/core/train/tiny_task.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

TEST(Checkpoint, goes_on_bit_for_bit) {
  const TempFolder folder;
  const std::string path = folder / "c.safetensors";
  Trainer whole = counting_trainer(), half = counting_trainer();
  take_steps(whole, 3);
  ASSERT_TRUE(whole.measure_held_out(5));
  whole.set_learning_rate_factor(0.7);
  take_steps(whole, 3);
  take_steps(half, 3);
  ASSERT_TRUE(half.measure_held_out(5));
  half.set_learning_rate_factor(0.7);
  ASSERT_TRUE(save_checkpoint(path, half));
  Trainer later = counting_trainer();
  auto state = read_checkpoint(path, later);
  ASSERT_TRUE(state) << state.error().text();
  ASSERT_TRUE(later.resume(*std::move(state)));
  std::filesystem::remove(path);
  EXPECT_EQ(later.state().step, 3);
  take_steps(later, 3);
  expect_same_weights(whole, later);
  ASSERT_EQ(later.state().reports.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    const StepReport &a = whole.state().reports[i], &b = later.state().reports[i];
    EXPECT_EQ(a.loss, b.loss);
    EXPECT_EQ(a.learning_rate, b.learning_rate);
    EXPECT_EQ(a.layer_updates, b.layer_updates);
    EXPECT_EQ(a.layer_gradients, b.layer_gradients);
  }
  ASSERT_EQ(later.state().held_out.size(), 1u);
  EXPECT_EQ(later.state().held_out[0].loss, whole.state().held_out[0].loss);
}

TEST(Checkpoint, says_how_to_make_its_trainer) {
  const TempFolder folder;
  Recipe recipe = Counting().recipe();
  recipe.smoothing = 0.125;
  recipe.schedule = "inverse_sqrt";
  Trainer trainer = counting_trainer(recipe, {2, 0, 0, 24, 0, "post", ""}, 0xFFFFFFFFFFFFFFFFull);
  take_steps(trainer, 2);
  ASSERT_TRUE(save_checkpoint(folder / "c.safetensors", trainer));
  const CheckpointHead head = *read_checkpoint_head(folder / "c.safetensors");
  EXPECT_EQ(head.task, "counting");
  EXPECT_EQ(head.seed, 0xFFFFFFFFFFFFFFFFull);
  EXPECT_EQ(head.step, 2);
  EXPECT_EQ(head.sizes.layers, 2);
  EXPECT_EQ(head.sizes.d_model, 24);
  EXPECT_EQ(head.sizes.order, "post");
  EXPECT_EQ(head.recipe.smoothing, 0.125);
  EXPECT_EQ(head.recipe.schedule, "inverse_sqrt");
  EXPECT_EQ(head.recipe.epsilon, 1e-9);
  Trainer again = counting_trainer(head.recipe, head.sizes, head.seed);
  EXPECT_TRUE(read_checkpoint(folder / "c.safetensors", again));
}

TEST(Checkpoint, of_another_model_is_refused) {
  const TempFolder folder;
  const std::string path = folder / "c.safetensors";
  Trainer wide = counting_trainer(Counting().recipe(), {1, 0, 0, 32, 0, "", ""});
  take_steps(wide, 1);
  ASSERT_TRUE(save_checkpoint(path, wide));
  const Trainer trainer = counting_trainer(),
                deep = counting_trainer(Counting().recipe(), {2, 0, 0, 32, 0, "", ""});
  expect_error(read_checkpoint(path, trainer).error(), {"another model", "shape"});
  expect_error(read_checkpoint(path, deep).error(), {"another model", "blocks.1", "missing"});
  Trainer deeper = counting_trainer(Counting().recipe(), {2, 0, 0, 32, 0, "", ""});
  take_steps(deeper, 1);
  ASSERT_TRUE(save_checkpoint(path, deeper));
  expect_error(read_checkpoint(path, wide).error(), {"another model", "tensors"});
  expect_error(wide.resume(deeper.state()).error(), {"weights"});
  EXPECT_EQ(wide.state().step, 1);
}

TEST(Checkpoint, other_files_are_refused) {
  const TempFolder folder;
  const std::string path = folder / "c.safetensors";
  const Trainer trainer = counting_trainer();
  EXPECT_FALSE(read_checkpoint(path, trainer));  // not there
  ASSERT_TRUE(write_safetensors(path, {{"x", Tensor::filled({{Axis::none, 3}}, 1)}}));
  expect_error(read_checkpoint(path, trainer).error(), {"no checkpoint"});
  const auto with = [&](const std::string& json) {
    EXPECT_TRUE(write_safetensors(path, {{"x", Tensor::filled({{Axis::none, 3}}, 1)}}, {},
                                  {{"attnscope_checkpoint", json}}));
    const auto read = read_checkpoint(path, trainer);
    EXPECT_FALSE(read) << json;
    return read ? Error{} : read.error();
  };
  EXPECT_FALSE(with("{").sentence().empty());
  expect_error(with("[]"), {"does not say"});
  expect_error(with(R"({"sizes": 3, "recipe": {}})"), {"sizes"});
  expect_error(with(R"({"sizes": {}, "recipe": {"steps": "many"}})"), {"steps"});
  expect_error(with(R"({"sizes": {}, "recipe": {"steps": 1e300}})"), {"steps"});
  expect_error(with(R"({"sizes": {}, "recipe": {}, "step": -4})"), {"-4"});
  expect_error(with(R"({"sizes": {}, "recipe": {}, "task": "sorter"})"), {"sorter", "counting"});
  expect_error(with(R"({"sizes": {}, "recipe": {}, "task": "counting"})"), {"missing"});
}

// The limit on file sizes makes write() fail in the middle, as a full disk does.
TEST(Checkpoint, a_full_disk_leaves_the_one_before) {
  const TempFolder folder;
  const std::string path = folder / "c.safetensors";
  Trainer trainer = counting_trainer();
  take_steps(trainer, 2);
  ASSERT_TRUE(save_checkpoint(path, trainer));
  take_steps(trainer, 1);
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{10'000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Status saved = save_checkpoint(path, trainer);
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_DFL);
  ASSERT_FALSE(saved);
  expect_error(saved.error(), {"File too large"});
  Trainer again = counting_trainer();
  const auto state = read_checkpoint(path, again);
  ASSERT_TRUE(state) << state.error().text();
  EXPECT_EQ(state->step, 2);
  if (!std::filesystem::is_character_file("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  expect_error(save_checkpoint("/dev/full", trainer).error(), {"No space left"});
}

// Every cut and many changed bytes: refused or read, never anything else.
TEST(Checkpoint, survives_damage) {
  const TempFolder folder;
  const std::string path = folder / "c.safetensors";
  Trainer trainer = counting_trainer();
  take_steps(trainer, 1);
  ASSERT_TRUE(save_checkpoint(path, trainer));
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const std::string other = folder / "d.safetensors";
  SplitMix64 random(7);
  int refused = 0;
  for (int round = 0; round < 200; ++round) {
    std::string damaged = bytes;
    if (round % 4 == 0)
      damaged.resize(static_cast<std::size_t>(random.below(static_cast<int>(bytes.size()))));
    else
      for (int i = 0; i < 3; ++i)
        damaged[static_cast<std::size_t>(random.below(6000))] = static_cast<char>(random.below(256));
    std::ofstream(other, std::ios::binary) << damaged;
    const auto read = read_checkpoint(other, trainer);
    if (read) continue;
    ++refused;
    EXPECT_FALSE(read.error().sentence().empty());
  }
  EXPECT_GT(refused, 50);
}

}  // namespace
}  // namespace attnscope
