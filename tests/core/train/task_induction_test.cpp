// Induction: sequences that come twice, targets where a copy can be known, and scores of a model that knows
// nothing.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "core/ops/backward.h"
#include "core/text/tokenizer.h"
#include "core/train/trainer.h"

namespace attnscope {
namespace {

std::shared_ptr<const Task> induction() { return *find_task("induction"); }

TEST(TaskInductionTest, TheLastPartComesAgain) {
  const ModelConfig config = *induction()->config({});
  std::set<int> lengths, before;
  for (int number = 0; number < 5000; ++number) {
    const Example example = induction()->example(3, Split::train, number);
    const std::vector<int>& ids = example.input.ids;
    const auto first = static_cast<std::size_t>(example.notes[0]);
    const auto length = static_cast<std::size_t>(example.notes[1]);
    lengths.insert(example.notes[1]);
    before.insert(example.notes[0] - 1);
    ASSERT_EQ(ids.size(), first + 2 * length);
    ASSERT_LE(static_cast<std::int64_t>(ids.size()), config.position.max_positions);
    EXPECT_EQ(ids.front(), config.bos);
    const std::set<int> different(ids.begin(), ids.end());
    EXPECT_EQ(different.size(), first + length);
    EXPECT_LT(*different.rbegin(), config.vocab_size);
    for (std::size_t row = 0; row < ids.size(); ++row) {
      const bool counts = row >= first + length && row + 1 < ids.size();
      ASSERT_EQ(example.targets[row], counts ? ids[row - length + 1] : kNotCounted);
    }
  }
  EXPECT_EQ(before.size(), 25U);
  EXPECT_EQ(lengths.size(), 13U);
}

TEST(TaskInductionTest, SplitsShareNoSequence) {
  // What decides is the part that comes again, whatever stands before it.
  const auto part = [](Split split, int number) {
    const Example example = induction()->example(1, split, number);
    const auto first = example.input.ids.begin() + example.notes[0];
    return std::vector<int>(first, first + example.notes[1]);
  };
  std::set<std::vector<int>> trained;
  for (int number = 0; number < 5000; ++number) trained.insert(part(Split::train, number));
  for (int number = 0; number < 5000; ++number) EXPECT_FALSE(trained.contains(part(Split::held_out, number)));
  EXPECT_EQ(induction()->example(1, Split::train, 7).input.ids,
            induction()->example(1, Split::train, 7).input.ids);
  EXPECT_NE(induction()->example(1, Split::train, 7).input.ids,
            induction()->example(2, Split::train, 7).input.ids);
}

TEST(TaskInductionTest, TheTokenizerReadsLetters) {
  const auto tokenizer = tokenizer_from_json(induction()->tokenizer().dump(), "tokenizer.json");
  ASSERT_TRUE(tokenizer) << tokenizer.error().text();
  const Example shown = induction()->shown();
  EXPECT_EQ((*tokenizer)->encode("K7qm2TxbR9dwK7qm2TxbR9dw")->ids(), shown.input.ids);
  EXPECT_EQ((*tokenizer)->decode(shown.input.ids), "K7qm2TxbR9dwK7qm2TxbR9dw");
  EXPECT_EQ((*tokenizer)->vocab_size(), induction()->config({})->vocab_size);
}

TEST(TaskInductionTest, TwoLayersOfAttentionAlone) {
  const ModelConfig config = *induction()->config({});
  EXPECT_EQ(config.n_layers(), 2);
  for (const WeightShape& weight : expected_weights(config))
    EXPECT_EQ(weight.name.find("mlp"), std::string::npos);
  TaskSizes sizes;
  sizes.heads = 3;
  sizes.d_model = 64;
  EXPECT_FALSE(induction()->config(sizes));
  sizes.heads = 4;
  sizes.d_model = 36;  // 9 features make no pairs
  EXPECT_FALSE(induction()->config(sizes));
}

TEST(TaskInductionTest, AModelThatKnowsNothingHasNoSuchHeads) {
  const Trainer fresh = *Trainer::make(induction(), {}, induction()->recipe(), 5);
  const std::vector<Measure> measures = induction()->measure(*fresh.state().model, 5, 40);
  ASSERT_EQ(measures.size(), 3U);
  EXPECT_LT(measures[0].value, 0.2);
  EXPECT_EQ(measures[0].wanted, 0.99);
  for (const std::size_t head : {std::size_t{1}, std::size_t{2}}) {
    EXPECT_GT(measures[head].value, 0.0);
    EXPECT_LT(measures[head].value, 0.4);
    EXPECT_EQ(measures[head].wanted, 0.8);
    EXPECT_EQ(measures[head].layer, static_cast<int>(head) - 1);
  }
}

}  // namespace
}  // namespace attnscope
