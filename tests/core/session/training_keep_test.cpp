// Training runs that end in every way: two windows at once, a place that cannot be written, memory that runs
// out.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <new>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/session/training.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

TrainingSettings training_keep_small_sorter() {
  TrainingSettings settings = *training_settings("sorter");
  settings.sizes.layers = 1;
  settings.sizes.heads = 2;
  settings.sizes.d_model = 16;
  settings.recipe.batch = 4;
  settings.recipe.steps = 40;
  return settings;
}

void training_keep_take(Training& training, int steps) {
  for (int i = 0; i < steps; ++i) training.step_once();
  training.wait();
}

std::vector<int> training_keep_kept_steps(const std::string& folder) {
  std::vector<int> out;
  for (const KeptRun& run : kept_runs(folder, "sorter")) out.push_back(run.step);
  std::sort(out.begin(), out.end());
  return out;
}

TEST(TrainingKept, WindowsThatEndAtOnceHaveFilesOfTheirOwn) {
  const testing::TempFolder folder;
  std::vector<std::unique_ptr<Training>> windows;
  for (int i = 0; i < 4; ++i) {
    windows.push_back(std::make_unique<Training>());
    windows.back()->keep_in(folder.path());
    ASSERT_TRUE(windows.back()->start(training_keep_small_sorter(), false));
    training_keep_take(*windows.back(), i + 1);
  }
  std::vector<std::thread> ends;
  for (auto& window : windows) ends.emplace_back([&window] { EXPECT_TRUE(window->close()); });
  for (std::thread& end : ends) end.join();
  EXPECT_EQ(training_keep_kept_steps(folder.path()), (std::vector<int>{1, 2, 3, 4}));
}

TEST(TrainingKept, TwoWindowsThatGoOnWithOneRunKeepBoth) {
  const testing::TempFolder folder;
  {
    Training first;
    first.keep_in(folder.path());
    ASSERT_TRUE(first.start(training_keep_small_sorter(), false));
    training_keep_take(first, 1);
  }
  const KeptRun run = kept_runs(folder.path(), "sorter").front();
  Training a, b;
  for (Training* window : {&a, &b}) {
    window->keep_in(folder.path());
    ASSERT_TRUE(window->resume(run.settings, run.path));
  }
  training_keep_take(a, 2);
  training_keep_take(b, 4);
  EXPECT_TRUE(a.close());
  EXPECT_TRUE(b.close());
  EXPECT_EQ(training_keep_kept_steps(folder.path()), (std::vector<int>{3, 5}));
}

TEST(TrainingKept, WhereTheFolderCannotBeWrittenItIsKeptElsewhere) {
  const testing::TempFolder folder;
  std::ofstream(folder / "file") << "no folder";
  Training training;
  training.keep_in(folder / "file/training");
  ASSERT_TRUE(training.start(training_keep_small_sorter(), false));
  training_keep_take(training, 3);
  const Status kept = training.settle();
  ASSERT_FALSE(kept);
  const std::string& hint = kept.error().hint();
  const std::size_t begin = hint.find('/'), end = hint.find(" instead");
  ASSERT_TRUE(begin != std::string::npos && end != std::string::npos) << hint;
  const std::string path = hint.substr(begin, end - begin);
  const auto run = read_run(path);
  ASSERT_TRUE(run) << run.error().text();
  EXPECT_EQ(run->step, 3);
  EXPECT_EQ(training.settle().error().hint(), hint) << "once is enough";
  fs::remove_all(fs::path(path).parent_path());
  training.keep_in(folder / "training");  // there is room now
  EXPECT_TRUE(training.close());
  EXPECT_EQ(training_keep_kept_steps(folder / "training"), (std::vector<int>{3}));
}

// A task whose examples are too large from some step on.
class Greedy final : public Task {
 public:
  Greedy() : Greedy(*find_task("sorter")) {}
  nlohmann::json tokenizer() const override { return inner_->tokenizer(); }
  Result<ModelConfig> config(const TaskSizes& sizes) const override { return inner_->config(sizes); }
  Recipe recipe() const override { return inner_->recipe(); }
  Example example(std::uint64_t seed, Split split, std::int64_t number) const override {
    if (split == Split::train && number >= 3 * 4) throw std::bad_alloc();
    return inner_->example(seed, split, number);
  }
  Example shown() const override { return inner_->shown(); }
  std::vector<Measure> measure(const Model& model, std::uint64_t seed, int count) const override {
    return inner_->measure(model, seed, count);
  }

 private:
  explicit Greedy(std::shared_ptr<const Task> inner)
      : Task({inner->name(), inner->title(), inner->sentence(), inner->layout()}), inner_(std::move(inner)) {}
  std::shared_ptr<const Task> inner_;
};

TEST(TrainingKept, MemoryThatEndsStopsTheRunAndKeepsIt) {
  const testing::TempFolder folder;
  Training training;
  training.keep_in(folder.path());
  TrainingSettings settings = training_keep_small_sorter();
  settings.read = std::make_shared<const Greedy>();
  ASSERT_TRUE(training.start(settings));
  training.wait();
  EXPECT_EQ(training.state(), TrainingState::failed);
  ASSERT_TRUE(training.snapshot() && training.snapshot()->error);
  EXPECT_EQ(training.snapshot()->error->code(), Code::no_memory);
  EXPECT_EQ(training.snapshot()->now.step, 3);
  EXPECT_EQ(training_keep_kept_steps(folder.path()), (std::vector<int>{3}));
}

}  // namespace
}  // namespace attnscope
