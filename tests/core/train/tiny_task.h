// A task for tests: count on, modulo 7, by one or by two, as the first two numbers show. Small enough that a
// model learns it in a second.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "core/ops/backward.h"
#include "core/train/held_out.h"
#include "core/train/random.h"
#include "core/train/task_sizes.h"
#include "core/train/trainer.h"
#include "tests/temp_folder.h"

namespace attnscope::testing {

class Counting : public Task {
 public:
  Counting() : Task({"counting", "Counting", "Counts on by the step that it sees.", "gpt2"}) {}
  Result<ModelConfig> config(const TaskSizes& chosen) const override {
    TRY(const TaskSizes sizes, filled_sizes(chosen, {1, 2, 0, 16, 32, "pre", ""}));
    return usual_decoder(sizes, usual_block(sizes), 7, 8);
  }
  nlohmann::json tokenizer() const override { return {}; }
  Recipe recipe() const override { return {.steps = 40, .batch = 6, .learning_rate = 1e-2, .warmup = 5}; }
  // What is learned stands one row further: row i says number i + 1. The first row cannot know it.
  Example example(std::uint64_t seed, Split split, std::int64_t number) const override {
    SplitMix64 random =
        random_of(seed, static_cast<std::uint64_t>(split), static_cast<std::uint64_t>(number));
    const int first = random.below(7), step = 1 + random.below(2), length = 5 + random.below(3);
    Example out;
    for (int i = 0; i < length; ++i) {
      out.input.ids.push_back((first + i * step) % 7);
      out.targets.push_back(i == 0 ? kNotCounted : (first + (i + 1) * step) % 7);
    }
    return out;
  }
  Example shown() const override { return example(1, Split::held_out, 0); }
  std::vector<Measure> measure(const Model& model, std::uint64_t seed, int count) const override {
    RowsRight said;
    run_held_out(*this, model, seed, count, [&](const Example& example, const Trace& trace) {
      said.add(rows_right(trace, example.targets));
    });
    return {{"accuracy", "share of the numbers", said.share(), 0.5},
            {"some_head.weight", "a head", 0.25, 0, 0, 1}};
  }
};

/// Sizes as a person chooses them; 0 or empty leaves them to the task.
inline TaskSizes sized(int layers, int heads, int d_model, const std::string& order = "") {
  TaskSizes out;
  out.layers = layers;
  out.heads = heads;
  out.d_model = d_model;
  out.order = order;
  return out;
}

inline Trainer counting_trainer(const Recipe& recipe, const TaskSizes& sizes = {}, std::uint64_t seed = 3) {
  auto made = Trainer::make(std::make_shared<const Counting>(), sizes, recipe, seed);
  EXPECT_TRUE(made) << (made ? "" : made.error().text());
  return *std::move(made);
}
inline Trainer counting_trainer() { return counting_trainer(Counting().recipe()); }

inline void take_steps(Trainer& trainer, int count) {
  for (int i = 0; i < count; ++i) {
    const auto report = trainer.step();
    ASSERT_TRUE(report) << report.error().text();
  }
}

/// The same values, bit for bit.
inline void expect_same_weights(const Trainer& a, const Trainer& b) {
  const auto &left = a.state().model->weights().all(), &right = b.state().model->weights().all();
  ASSERT_EQ(left.size(), right.size());
  for (const auto& [name, value] : left) EXPECT_EQ(value.values(), right.at(name).values()) << name;
}

inline void expect_error(const Error& error, std::initializer_list<const char*> parts) {
  for (const char* part : parts) EXPECT_NE(error.text().find(part), std::string::npos) << error.text();
  EXPECT_FALSE(error.hint().empty()) << error.text();
}

}  // namespace attnscope::testing
