// Chances of a text, draws over temperatures and contrast against plain loops.
#include "core/sample/chances.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/core/sample/toy.h"

namespace attnscope {
namespace {

TEST(RowChances, equal_a_softmax_by_hand) {
  const auto model = testing::toy(16);
  const std::vector<int> ids{3, 1, 4, 1, 5, 9};
  const auto trace = model->run({ids, {}});
  ASSERT_TRUE(trace);
  const auto rows = row_chances(**trace, {0, 6});
  ASSERT_EQ(rows.size(), 6u);
  double nats = 0;
  for (std::int64_t row = 0; row < 6; ++row) {
    const Tensor logits = (*trace)->logits_row(row);
    double sum = 0, entropy = 0, best = 0;
    for (std::int64_t id = 0; id < 23; ++id) sum += std::exp(static_cast<double>(logits.at(id)));
    std::int64_t rank = 0;
    for (std::int64_t id = 0; id < 23; ++id) {
      const double p = std::exp(static_cast<double>(logits.at(id))) / sum;
      entropy -= p * std::log(p), best = std::max(best, p);
      if (row < 5) rank += logits.at(id) > logits.at(ids[static_cast<std::size_t>(row) + 1]);
    }
    const RowChance& found = rows[static_cast<std::size_t>(row)];
    EXPECT_NEAR(found.entropy, entropy, 1e-6);
    EXPECT_NEAR(found.best_prob, best, 1e-6);
    if (row == 5) {
      EXPECT_EQ(found.next, -1);
      continue;
    }
    EXPECT_EQ(found.next, ids[static_cast<std::size_t>(row) + 1]);
    const double log_prob = static_cast<double>(logits.at(found.next)) - std::log(sum);
    EXPECT_NEAR(found.log_prob, log_prob, 1e-6);
    EXPECT_EQ(found.rank, rank);
    nats -= log_prob / 5;
  }
  const Perplexity whole = perplexity(rows);
  EXPECT_EQ(whole.tokens, 5);
  EXPECT_NEAR(whole.nats, nats, 1e-6);
  EXPECT_NEAR(whole.value, std::exp(nats), 1e-4);
  EXPECT_TRUE(std::isnan(perplexity({}).value));
}

TEST(RowChances, are_those_of_what_was_generated) {
  const auto model = testing::toy(32);
  Sampling sampling{1.3f, 5, 1.f, 4};
  sampling.repetition_penalty = 2.f;
  const auto made = generate(*model, {3, 1, 4}, 8, sampling);
  ASSERT_TRUE(made);
  std::vector<int> ids{3, 1, 4};
  ids.insert(ids.end(), made->ids.begin(), made->ids.end());
  const auto trace = model->run({ids, {}});
  const auto rows = row_chances(**trace, {2, 10});
  ASSERT_EQ(made->log_probs.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_NEAR(made->log_probs[i], rows[i].log_prob, 1e-4);
}

TEST(RowChances, a_uniform_model_has_the_vocabulary_as_perplexity) {
  std::vector<RowChance> rows(4);
  for (RowChance& row : rows) row.next = 2, row.log_prob = -std::log(23.0);
  EXPECT_NEAR(perplexity(rows).value, 23, 1e-9);
}

TEST(TellingRow, is_the_last_unless_it_is_decided) {
  const auto row = [](std::int64_t at, double entropy, float best, int next) {
    return RowChance{at, entropy, 0, best, next, 0, 0};
  };
  const std::vector<RowChance> undecided{row(0, 2, 0.3f, 1), row(1, 1, 0.5f, -1)};
  EXPECT_EQ(telling_row(undecided, 1), 1);
  const std::vector<RowChance> decided{row(0, 1, 0.6f, 1), row(1, 2, 0.3f, 1), row(2, 0.1, 0.99f, -1)};
  EXPECT_EQ(telling_row(decided, 2), 1);
  const std::vector<RowChance> sure{row(0, 0.1, 0.97f, 1), row(1, 0.1, 0.99f, -1)};
  EXPECT_EQ(telling_row(sure, 1), 1) << "nothing is undecided";
}

TEST(DrawMany, counts_its_draws_and_expects_them) {
  const Tensor logits = testing::logits_of({2.f, 1.f, 0.5f, 0.f, -1.f});
  const std::vector<float> temperatures{0.f, 0.2f, 0.7f, 1.f, 2.f};
  const auto found = draw_many(logits, {1.f, 4, 1.f, 5}, {}, 0, 4000, temperatures);
  ASSERT_EQ(found.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    const double t = static_cast<double>(temperatures[i]);
    std::vector<double> p;
    double sum = 0;
    for (const double x : {2.0, 1.0, 0.5, 0.0})
      p.push_back(t > 0 ? std::exp(x / t) : p.empty() ? 1 : 0), sum += p.back();
    double distinct = 0;
    for (double& x : p) x /= sum, distinct += 1 - std::pow(1 - x, 4000);
    EXPECT_NEAR(found[i].chance_right, p[0], 1e-6);
    EXPECT_NEAR(found[i].expected_distinct, distinct, 1e-4);
    EXPECT_NEAR(found[i].right / 4000.0, p[0], 0.03) << "the draws follow it";
    EXPECT_LE(found[i].distinct, 4);
  }
  EXPECT_EQ(found[0].right, 4000);
  EXPECT_EQ(found[0].distinct, 1);
}

TEST(Contrast, is_the_difference_of_log_probabilities_of_what_is_plausible) {
  const std::vector<float> a{3.f, 2.f, 1.f, -4.f}, b{3.f, 0.f, 2.f, -9.f};
  const auto found = contrast(testing::logits_of(a), testing::logits_of(b), 0.1);
  ASSERT_EQ(found.size(), 3u) << "the last is not plausible";
  double sum_a = 0, sum_b = 0;
  for (const float x : a) sum_a += std::exp(static_cast<double>(x));
  for (const float x : b) sum_b += std::exp(static_cast<double>(x));
  for (const Contrast& one : found) {
    const auto id = static_cast<std::size_t>(one.id);
    const double p = std::exp(static_cast<double>(a[id])) / sum_a,
                 q = std::exp(static_cast<double>(b[id])) / sum_b;
    EXPECT_NEAR(one.expert, p, 1e-6);
    EXPECT_NEAR(one.amateur, q, 1e-6);
    EXPECT_NEAR(one.score, std::log(p / q), 1e-5);
  }
  EXPECT_EQ(found.front().id, 1);
  EXPECT_TRUE(contrast(testing::logits_of({1.f}), testing::logits_of({1.f, 2.f}), 0.1).empty());
}

}  // namespace
}  // namespace attnscope
