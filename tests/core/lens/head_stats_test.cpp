// Head statistics against rows worked out by hand and against a plain double loop over a whole pattern.
#include "core/lens/head_stats.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/arch/open.h"
#include "tests/golden_run.h"

namespace attnscope {
namespace {

Tensor row_of(std::vector<float> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return Tensor::from(std::move(values), {{Axis::key, count}});
}

std::shared_ptr<const Trace> run_fixture(const std::string& name, const std::vector<int>& ids) {
  return testing::golden_run(testing::golden_model(name), Input{ids, {}});
}

TEST(HeadStats, UniformRowHasAllTheEntropy) {
  const RowStats stats = row_stats(row_of({0.25f, 0.25f, 0.25f, 0.25f}), Tensor(), 3);
  EXPECT_NEAR(stats.entropy, std::log(4.0), 1e-9);
  EXPECT_NEAR(stats.max_entropy, std::log(4.0), 1e-9);
  EXPECT_NEAR(stats.distance, (3 + 2 + 1 + 0) / 4.0, 1e-9);
  EXPECT_NEAR(stats.first_share, 0.25, 1e-9);
  EXPECT_EQ(stats.in_sight, 4);
}

TEST(HeadStats, OneKeyTakesAll) {
  const RowStats stats = row_stats(row_of({0, 0, 1, 0}), row_of({1, 1, 1, 0}), 2);
  EXPECT_EQ(stats.entropy, 0);
  EXPECT_EQ(stats.distance, 0);
  EXPECT_EQ(stats.first_share, 0);
  EXPECT_EQ(stats.in_sight, 3);
  EXPECT_NEAR(stats.max_entropy, std::log(3.0), 1e-9);
}

TEST(HeadStats, FullyMaskedRowIsZeroEverywhere) {
  const RowStats stats = row_stats(row_of({0, 0}), row_of({0, 0}), 1);
  EXPECT_EQ(stats.entropy, 0);
  EXPECT_EQ(stats.max_entropy, 0);
  EXPECT_EQ(stats.in_sight, 0);
}

TEST(HeadStats, LooksForwardCountAsDistanceToo) {
  EXPECT_NEAR(row_stats(row_of({0, 0, 1}), Tensor(), 0).distance, 2, 1e-9);
}

TEST(HeadStats, MeansAgreeWithAPlainLoop) {
  std::vector<int> ids;
  for (int i = 0; i < 24; ++i) ids.push_back((i * 7 + 3) % 40);
  for (const char* name : {"gpt2", "llama"}) {
    const auto trace = run_fixture(name, ids);
    const Site pattern = site_of(Slot::pattern, 1);
    const auto all = trace->tensor(pattern);  // [head, query, key]
    ASSERT_TRUE(all);
    for (std::int64_t head = 0; head < all->size(0); ++head) {
      double entropy = 0, distance = 0, first = 0, most = 0;
      for (std::int64_t query = 0; query < 24; ++query) {
        most += std::log(static_cast<double>(query + 1));
        first += all->at(head, query, 0);
        for (std::int64_t key = 0; key <= query; ++key) {
          const double p = all->at(head, query, key);
          entropy -= p > 0 ? p * std::log(p) : 0;
          distance += p * static_cast<double>(query - key);
        }
      }
      const auto stats = head_stats(*trace, pattern, head);
      ASSERT_TRUE(stats);
      EXPECT_NEAR(stats->entropy, entropy / 24, 1e-5) << name;
      EXPECT_NEAR(stats->max_entropy, most / 24, 1e-9) << name;
      EXPECT_NEAR(stats->distance, distance / 24, 1e-5) << name;
      EXPECT_NEAR(stats->first_share, first / 24, 1e-5) << name;
      EXPECT_EQ(stats->in_sight, 24);
    }
  }
}

TEST(HeadStats, BandsOfRowsMakeNoDifference) {
  std::vector<int> ids;
  for (int i = 0; i < 60; ++i) ids.push_back(i % 40);
  const auto trace = run_fixture("llama", ids);
  const Site pattern = site_of(Slot::pattern, 0);
  double entropy = 0;
  for (std::int64_t query = 0; query < 60; ++query) entropy += row_stats(*trace, pattern, 1, query)->entropy;
  EXPECT_NEAR(head_stats(*trace, pattern, 1)->entropy, entropy / 60, 1e-6);
}

TEST(HeadStats, PaddingInFrontIsNotTheFirstToken) {
  const auto opened = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/gpt2");
  ASSERT_TRUE(opened) << opened.error().text();
  const Site pattern = site_of(Slot::pattern, 1);
  Input padded{{0, 0, 5, 9, 7, 3}, {}};
  padded.attention_mask = {0, 0, 1, 1, 1, 1};
  const auto with = opened->model->run(padded), without = opened->model->run(Input{{5, 9, 7, 3}, {}});
  ASSERT_TRUE(with && without);
  EXPECT_NEAR(head_stats(**with, pattern, 0)->first_share, head_stats(**without, pattern, 0)->first_share,
              1e-5);
  EXPECT_NEAR(row_stats(**with, pattern, 0, 5)->first_share, row_stats(**without, pattern, 0, 3)->first_share,
              1e-5);
}

TEST(HeadStats, WhatIsNotThereIsSaid) {
  const auto trace = run_fixture("gpt2", {1, 2, 3});
  EXPECT_FALSE(head_stats(*trace, site_of(Slot::scores, 0), 0));
  EXPECT_FALSE(head_stats(*trace, site_of(Slot::pattern, 9), 0));
  EXPECT_FALSE(head_stats(*trace, site_of(Slot::pattern, 0), 99));
  const auto row = row_stats(*trace, site_of(Slot::pattern, 0), 0, 3);
  ASSERT_FALSE(row);
  EXPECT_NE(row.error().sentence().find("query 3"), std::string::npos);
}

}  // namespace
}  // namespace attnscope
