// A batch in a few runs gives what its sequences give alone.
#include "core/train/packing.h"

#include <gtest/gtest.h>

#include <numeric>

#include "core/train/task.h"
#include "core/train/trainer.h"

namespace attnscope {
namespace {

std::vector<Example> batch_of(const Task& task, int count) {
  std::vector<Example> out;
  for (int i = 0; i < count; ++i) out.push_back(task.example(3, Split::train, i));
  return out;
}

std::shared_ptr<const Model> new_model(const Task& task, const TaskSizes& sizes = {}) {
  ModelConfig config = *task.config(sizes);
  Weights weights = first_weights(config, 5);
  return *Model::make(std::move(config), std::move(weights));
}

std::map<std::string, Tensor> gradients_of(const Model& model, const std::vector<Example>& examples) {
  std::vector<std::shared_ptr<const Gradients>> runs;
  for (const Example& example : examples)
    runs.push_back(*backward(*model.run(example.input), {example.targets, 0.1, 0.01}));
  return collect(runs);
}

void expect_close(const std::map<std::string, Tensor>& a, const std::map<std::string, Tensor>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [name, value] : a) {
    const std::vector<float> x = value.values(), y = b.at(name).values();
    ASSERT_EQ(x.size(), y.size()) << name;
    float largest = 0, error = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      largest = std::max(largest, std::abs(x[i]));
      error = std::max(error, std::abs(x[i] - y[i]));
    }
    EXPECT_GT(largest, 0.f) << name;
    EXPECT_LE(error, 2e-5f * largest + 1e-9f) << name;
  }
}

TEST(Packing, rows_have_the_same_bits_alone_and_packed) {
  for (const char* name : {"storyteller", "storyteller-llama", "induction", "sorter", "gap-filler"}) {
    const auto task = *find_task(name);
    const auto model = new_model(*task);
    if (!can_pack(model->config())) continue;
    const std::vector<Example> alone = batch_of(*task, 24), packed = packed_examples(alone);
    ASSERT_LT(packed.size(), alone.size()) << name;
    std::size_t next = 0;
    for (const Example& joined : packed) {
      const auto run = *model->run(joined.input);
      std::vector<std::int64_t> begins{0};
      begins.insert(begins.end(), joined.input.starts.begin(), joined.input.starts.end());
      for (const std::int64_t begin : begins) {
        const auto one = *model->run(alone[next].input);
        for (std::int64_t row = 0; row < one->length; ++row)
          ASSERT_EQ(one->logits_row(row).values(), run->logits_row(begin + row).values())
              << name << " " << next;
        const Site pattern = one->main(StepRole::pattern, 0);
        for (std::int64_t head = 0; head < 2; ++head)
          EXPECT_EQ(
              one->slice(pattern, head, {0, one->length}, {0, one->length}).values(),
              run->slice(pattern, head, {begin, begin + one->length}, {begin, begin + one->length}).values());
        ++next;
      }
    }
    EXPECT_EQ(next, alone.size());
  }
}

TEST(Packing, gradients_are_those_of_the_sequences) {
  for (const char* name : {"storyteller", "storyteller-llama", "sorter", "gap-filler"}) {
    const auto task = *find_task(name);
    const auto model = new_model(*task);
    if (!can_pack(model->config())) continue;
    SCOPED_TRACE(name);
    const std::vector<Example> alone = batch_of(*task, 24);
    expect_close(gradients_of(*model, alone), gradients_of(*model, packed_examples(alone)));
  }
}

TEST(Packing, gradients_of_weights_alone_are_those_of_all_steps) {
  const auto task = *find_task("storyteller");
  const auto model = new_model(*task);
  const Example joined = packed_examples(batch_of(*task, 12)).front();
  const auto run = *model->run(joined.input);
  const auto all = *backward(run, {joined.targets, 0.1, 0.01});
  const auto alone = *backward_of_weights(run, {joined.targets, 0.1, 0.01});
  EXPECT_FALSE(all->records().empty());
  EXPECT_TRUE(alone->records().empty()) << "nobody reads them";
  EXPECT_EQ(all->loss().smoothed, alone->loss().smoothed);
  const auto expected = all->weights(), found = alone->weights();
  ASSERT_EQ(expected.size(), found.size());
  for (const auto& [name, value] : expected) EXPECT_EQ(value.values(), found.at(name).values()) << name;
}

TEST(Packing, a_sequence_sees_itself_only) {
  const auto task = *find_task("storyteller");
  const auto model = new_model(*task);
  Input input{.ids = {1, 5, 6, 7, 1, 8, 9}, .starts = {4}};
  const auto run = *model->run(input);
  const Tensor pattern = run->slice(run->main(StepRole::pattern, 0), 0, {0, 7}, {0, 7});
  for (std::int64_t query = 4; query < 7; ++query)
    for (std::int64_t key = 0; key < 7; ++key)
      EXPECT_EQ(pattern.at(query, key) > 0.f, key >= 4 && key <= query) << query << " " << key;
  EXPECT_EQ(run->positions(Stack::single).of(4), 0);
  EXPECT_EQ(run->positions(Stack::single).of(6), 2);
}

TEST(Packing, a_batch_as_long_as_the_context_and_longer_fits) {
  const auto task = *find_task("storyteller");
  const auto model = new_model(*task);
  const std::vector<Example> packed = packed_examples(batch_of(*task, 64));
  std::int64_t most = 0;
  for (const Example& one : packed) most = std::max(most, one.input.length());
  EXPECT_GE(most, 96);
  for (const Example& one : packed) EXPECT_TRUE(bool(model->run(one.input)));
}

TEST(Packing, inputs_with_more_than_tokens_stay_alone) {
  for (const char* name : {"translator", "pilot"})
    EXPECT_FALSE(can_pack(*(*find_task(name))->config({}))) << name;
  std::vector<Example> examples = batch_of(**find_task("storyteller"), 16);
  examples[3].input.types.assign(examples[3].input.ids.size(), 0);
  std::size_t alone = 0;
  for (const Example& one : packed_examples(examples))
    if (!one.input.types.empty()) {
      EXPECT_TRUE(one.input.starts.empty());
      ++alone;
    }
  EXPECT_EQ(alone, 1u);
}

}  // namespace
}  // namespace attnscope
