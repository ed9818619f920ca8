// The Sorter's examples: right, pure, disjoint by split; sizes; measuring a model that knows nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/text/tokenizer.h"
#include "core/train/trainer.h"
#include "tests/core/train/tiny_task.h"

namespace attnscope {
namespace {

using testing::sized;

std::shared_ptr<const Task> sorter() { return *find_task("sorter"); }

// The letters before the colon, which stands at notes[0].
std::vector<int> letters_of(const Example& example) {
  return {example.input.ids.begin(), example.input.ids.begin() + example.notes.front()};
}

TEST(TaskSorterTest, TheAnswerIsTheLettersInOrder) {
  const ModelConfig config = *sorter()->config({});
  std::set<std::size_t> lengths;
  for (int number = 0; number < 500; ++number) {
    const Example example = sorter()->example(3, Split::train, number);
    std::vector<int> letters = letters_of(example);
    lengths.insert(letters.size());
    std::sort(letters.begin(), letters.end());
    const auto colon = static_cast<std::size_t>(example.notes.front());
    ASSERT_EQ(example.input.ids.size(), 2 * letters.size() + 1);
    ASSERT_EQ(example.targets.size(), example.input.ids.size());
    ASSERT_LE(static_cast<std::int64_t>(example.input.ids.size()), config.position.max_positions);
    for (std::size_t i = 0; i < letters.size(); ++i) {
      EXPECT_EQ(example.targets[colon + i], letters[i]);
      EXPECT_EQ(example.input.ids[colon + 1 + i], letters[i]);
      EXPECT_LT(example.targets[i], 0);  // the question does not count
    }
    EXPECT_EQ(example.targets.back(), config.eos);
    for (const int id : example.input.ids) EXPECT_LT(id, config.vocab_size);
  }
  EXPECT_EQ(lengths, (std::set<std::size_t>{4, 5, 6, 7, 8, 9, 10}));
}

TEST(TaskSorterTest, ExamplesArePureAndDifferBySeedAndNumber) {
  const auto ids = [](std::uint64_t seed, int number) {
    return sorter()->example(seed, Split::train, number).input.ids;
  };
  EXPECT_EQ(ids(1, 7), ids(1, 7));
  EXPECT_NE(ids(1, 7), ids(1, 8));
  EXPECT_NE(ids(1, 7), ids(2, 7));
}

TEST(TaskSorterTest, WhatIsHeldOutIsNeverTrainedOnInAnyOrder) {
  std::set<std::vector<int>> trained;
  const auto bag = [](Split split, std::uint64_t seed, int number) {
    std::vector<int> letters = letters_of(sorter()->example(seed, split, number));
    std::sort(letters.begin(), letters.end());
    return letters;
  };
  for (int number = 0; number < 20000; ++number) trained.insert(bag(Split::train, 1, number));
  for (int number = 0; number < 2000; ++number)
    EXPECT_FALSE(trained.contains(bag(Split::held_out, 2, number)));
}

TEST(TaskSorterTest, TheTokenizerReadsWhatPeopleType) {
  const auto tokenizer = tokenizer_from_json(sorter()->tokenizer().dump(), "tokenizer.json");
  ASSERT_TRUE(tokenizer) << tokenizer.error().text();
  const Example shown = sorter()->shown();
  const auto encoded = (*tokenizer)->encode("d a c b a f : a a b c d f");
  ASSERT_TRUE(encoded);
  EXPECT_EQ(encoded->ids(), shown.input.ids);
  EXPECT_EQ((*tokenizer)->decode(shown.input.ids), "d a c b a f : a a b c d f");
  EXPECT_EQ((*tokenizer)->vocab_size(), sorter()->config({})->vocab_size);
}

TEST(TaskSorterTest, SizesThatDoNotDivideAreRefused) {
  const auto refused = [](const TaskSizes& sizes) {
    const auto config = sorter()->config(sizes);
    return config ? std::string() : config.error().sentence();
  };
  TaskSizes shared = sized(0, 4, 0);
  shared.kv_heads = 3;
  EXPECT_NE(refused(shared).find("3 key/value heads"), std::string::npos);
  EXPECT_NE(refused(sized(0, 5, 0)).find("5 heads"), std::string::npos);
  EXPECT_NE(refused(sized(99, 0, 0)).find("99 layers"), std::string::npos);
  EXPECT_NE(refused(sized(-1, 0, 0)).find("-1 layers"), std::string::npos);
  EXPECT_NE(refused(sized(0, 0, 4096)).find("4096"), std::string::npos);
  EXPECT_NE(refused(sized(0, 0, 0, "middle")).find("middle"), std::string::npos);
  EXPECT_EQ(refused(sized(0, 8, 32, "post")), "");
  // Heads that nobody chose follow the width.
  EXPECT_EQ(sorter()->config(sized(0, 0, 42))->blocks.front().attention.n_heads, 3);
}

TEST(TaskSorterTest, AModelThatKnowsNothingSortsNothing) {
  const Trainer fresh = *Trainer::make(sorter(), {}, sorter()->recipe(), 5);
  const std::vector<Measure> measures = sorter()->measure(*fresh.state().model, 5, 40);
  ASSERT_EQ(measures.front().name, "accuracy");
  EXPECT_EQ(measures.front().value, 0.0);
  EXPECT_EQ(measures.front().wanted, 0.999);
  EXPECT_GT(measures[1].value, 0.0);
  EXPECT_LT(measures[1].value, 0.5);
  EXPECT_GE(measures[1].layer, 0);
}

TEST(TaskSorterTest, AFewStepsOfTrainingLowerTheLoss) {
  Recipe recipe = sorter()->recipe();
  recipe.batch = 8;
  recipe.warmup = 1;
  Trainer trainer = *Trainer::make(sorter(), sized(1, 2, 16), recipe, 5);
  const double before = trainer.step()->loss;
  for (int step = 0; step < 30; ++step) ASSERT_TRUE(trainer.step());
  EXPECT_LT(trainer.step()->loss, before - 0.3);
}

}  // namespace
}  // namespace attnscope
