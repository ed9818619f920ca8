// Neurons as keys and values: what they add agrees with the run and with the attribution of a logit.
#include "core/lens/neurons.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/lens/attribution.h"
#include "tests/golden_run.h"

namespace attnscope {
namespace {

struct Opened {
  std::shared_ptr<const Model> model;
  std::shared_ptr<const Trace> trace;
};
Opened neurons_golden(const std::string& name) {
  const OpenedModel opened = testing::golden_model(name);
  return {opened.model, testing::golden_run(opened, {5, 17, 5, 33, 17, 8}, {4, 9, 3})};
}

TEST(Neurons, TheStrongestAddMost) {
  for (const char* name : {"gpt2", "llama", "t5"}) {
    const Opened it = neurons_golden(name);
    const Trace& trace = *it.trace;
    const MlpPlace place{trace.config().stack, 1};
    ASSERT_TRUE(has_neurons(trace, place));
    const std::string base = std::string(stack_prefix(place.stack)) + "blocks.1.mlp.out.weight";
    const Tensor out = trace.weights().get(base);
    const auto few = strongest_neurons(trace, place, 4, 5);
    const auto all = strongest_neurons(trace, place, 4, 100000);
    ASSERT_EQ(few.size(), 5u);
    ASSERT_EQ(std::ssize(all), out.size(0));
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Neuron& one = all[i];
      EXPECT_GE(all[i > 0 ? i - 1 : 0].adds, one.adds);
      EXPECT_EQ(one.act, trace.cell(place.site(Slot::mlp_post), {4, one.index}));
      double square = 0;
      for (std::int64_t d = 0; d < out.size(1); ++d)
        square += std::pow(double(out.at(one.index, d)) * one.act, 2);
      EXPECT_NEAR(one.adds, std::sqrt(square), 1e-5 * (1 + one.adds));
    }
    EXPECT_EQ(few[2].index, all[2].index);
    EXPECT_TRUE(strongest_neurons(trace, place, 99, 5).empty());
  }
}

// What a neuron promotes, times its activation, over the final norm's scale is its share of the logit.
TEST(Neurons, WhatOneWritesIsItsPartOfTheLogit) {
  for (const char* name : {"gpt2", "llama", "gemma"}) {
    const Opened it = neurons_golden(name);
    const Trace& trace = *it.trace;
    const int last = trace.config().n_layers() - 1;
    const MlpPlace place{trace.config().stack, last};
    LogitMeasure measure;
    measure.target = 33;
    const std::int64_t row = row_of(measure, trace);
    const auto parts = attribute(trace, measure, AttributeBy::neuron);
    ASSERT_TRUE(parts) << name;
    const float scale = trace.cell(trace.main(Slot::ln_final_scale), {row, 0});
    int compared = 0;
    for (const LogitPart& part : parts->parts) {
      if (part.step != "blocks." + std::to_string(last) + ".mlp.post" || part.at.back().begin % 7 != 0)
        continue;
      const std::int64_t neuron = part.at.back().begin;
      const Tensor weight = trace.weights().get("blocks." + std::to_string(last) + ".mlp.out.weight");
      const Tensor logits =
          direction_logits(trace.config(), trace.weights(), weight.slice(0, neuron, neuron + 1));
      const double act = trace.cell(place.site(Slot::mlp_post), {row, neuron});
      EXPECT_NEAR(part.value, act * logits.at(0, 33) / scale, 1e-4 * (1 + std::fabs(part.value))) << name;
      ++compared;
    }
    EXPECT_GT(compared, 3) << name;
  }
}

TEST(Neurons, ReadsTheTokensAlongItsColumn) {
  const Opened it = neurons_golden("llama");
  const Trace& trace = *it.trace;
  const Weights& weights = trace.weights();
  const Tensor table = weights.get("tok_embed.weight"), in = weights.get("blocks.0.mlp.gate.weight"),
               gain = weights.get("blocks.0.ln2.weight");
  const NeuronWords words = neuron_words(trace, {Stack::single, 0}, 3, 4);
  ASSERT_EQ(words.reads.size(), 4u);
  ASSERT_EQ(words.promotes.size(), 4u);
  ASSERT_EQ(words.suppresses.size(), 4u);
  const auto cosine = [&](std::int64_t id) {
    double dot = 0, a = 0, b = 0;
    for (std::int64_t i = 0; i < table.size(1); ++i) {
      const double key = double(in.at(i, 3)) * gain.at(i), x = table.at(id, i);
      dot += key * x, a += key * key, b += x * x;
    }
    return dot / std::sqrt(a * b);
  };
  for (const NeuronToken& token : words.reads) EXPECT_NEAR(token.value, cosine(token.token), 1e-5);
  for (std::int64_t id = 0; id < table.size(0); ++id)
    EXPECT_LE(cosine(id), double(words.reads.front().value) + 1e-5);
  EXPECT_GT(words.promotes[0].value, words.promotes[3].value);
  EXPECT_LT(words.suppresses[0].value, words.suppresses[3].value);
}

TEST(Neurons, HeadsWithATransformHaveNoWordsForADirection) {
  const Opened it = neurons_golden("bert");
  const NeuronWords words = neuron_words(*it.trace, {Stack::single, 0}, 3, 4);
  EXPECT_TRUE(words.promotes.empty());
  EXPECT_FALSE(words.reads.empty());
}

}  // namespace
}  // namespace attnscope
