// The distribution on a screen: nothing may be lost between the top and the rest.
#include "core/sample/summary.h"

#include <gtest/gtest.h>

#include <cmath>

namespace attnscope {
namespace {

Tensor logits_of(std::int64_t vocab) {
  std::vector<float> values;
  for (std::int64_t id = 0; id < vocab; ++id)
    values.push_back(3.f * std::sin(static_cast<float>(id) * 1.7f) - 0.01f * static_cast<float>(id));
  return Tensor::from(std::move(values), {{Axis::vocab, vocab}});
}

TEST(Summary, TopAndTailMakeTheWhole) {
  const Sampling sampling{0.8f, 120, 0.9f, 7};
  const auto tokens = next_tokens(logits_of(1000), sampling);
  const NextSummary summary = summarise(tokens, sampling, 40);
  ASSERT_EQ(summary.top.size(), 40u);
  EXPECT_EQ(summary.vocab, 1000);
  for (const std::size_t shown : {0u, 1u, 17u, 40u}) {
    const NextSummary::Tail tail = summary.tail(shown);
    double prob = tail.prob, kept = tail.kept;
    for (std::size_t i = 0; i < shown; ++i) prob += tokens[i].prob, kept += tokens[i].kept;
    EXPECT_NEAR(prob, 1.0, 1e-5) << shown;
    EXPECT_NEAR(kept, 1.0, 1e-5) << shown;
    EXPECT_EQ(tail.count, 1000 - static_cast<std::int64_t>(shown));
  }
}

TEST(Summary, RunningSumsEndAtTheWholeVocabulary) {
  const Sampling sampling;
  const auto tokens = next_tokens(logits_of(5000), sampling);
  const NextSummary summary = summarise(tokens, sampling, 10);
  EXPECT_EQ(summary.running.front().rank, 1);
  EXPECT_EQ(summary.running.back().rank, 5000);
  EXPECT_NEAR(summary.running.back().prob, 1.0, 1e-4);
  EXPECT_LT(summary.running.size(), 400u);
  for (std::size_t i = 1; i < summary.running.size(); ++i) {
    EXPECT_GT(summary.running[i].rank, summary.running[i - 1].rank);
    EXPECT_GE(summary.running[i].prob, summary.running[i - 1].prob);
  }
}

TEST(Summary, ChoiceIsWhatGeneratingTakes) {
  Sampling sampling{0.f, 0, 1.f, 3};
  const auto greedy = next_tokens(logits_of(50), sampling);
  EXPECT_EQ(summarise(greedy, sampling, 5).choice, greedy.front().id);
  sampling.temperature = 1.5f;
  const auto warm = next_tokens(logits_of(50), sampling);
  EXPECT_EQ(summarise(warm, sampling, 5).choice, choose(warm, sampling, 0));
  EXPECT_EQ(summarise({}, sampling, 5).choice, -1);
}

TEST(Summary, CountsWhatIsKept) {
  const Sampling sampling{1.f, 6, 1.f, 0};
  EXPECT_EQ(summarise(next_tokens(logits_of(50), sampling), sampling, 3).kept, 6);
}

}  // namespace
}  // namespace attnscope
