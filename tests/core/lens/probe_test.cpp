// Probes: the closed form against the gradient of what it minimises and against a case that is solved by
// hand; what is linearly there is read off rows that were not fitted, what is not there is not.
#include "core/lens/probe.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/arch/open.h"

namespace attnscope {
namespace {

ProbeRows random_rows(int count, int width, int classes, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  ProbeRows out;
  for (int row = 0; row < count; ++row) {
    std::vector<float> values;
    for (int i = 0; i < width; ++i) values.push_back(normal(random));
    out.add(Tensor::from(values, {{Axis::d_model, width}}),
            static_cast<int>(random() % static_cast<unsigned>(classes)));
  }
  return out;
}

TEST(Probe, TheClosedFormIsWhereTheGradientVanishes) {
  const int count = 40, width = 5, classes = 3;
  const ProbeRows rows = random_rows(count, width, classes, 3);
  const double lambda = 0.02;
  const auto probe = fit_probe(rows, classes, lambda);
  ASSERT_TRUE(probe);
  for (int c = 0; c < classes; ++c) {
    double by_offset = 0;
    std::vector<double> by_weight(width, 0);
    for (int row = 0; row < count; ++row) {
      double miss = probe->offset[size_t(c)] - (rows.classes[size_t(row)] == c ? 1 : 0);
      for (int i = 0; i < width; ++i)
        miss += double(rows.features[size_t(row * width + i)]) * probe->weights[size_t(i * classes + c)];
      by_offset += 2 * miss;
      for (int i = 0; i < width; ++i)
        by_weight[size_t(i)] += 2 * miss * double(rows.features[size_t(row * width + i)]);
    }
    EXPECT_NEAR(by_offset, 0, 1e-9);
    for (int i = 0; i < width; ++i)
      EXPECT_NEAR(by_weight[size_t(i)] + 2 * lambda * count * probe->weights[size_t(i * classes + c)], 0,
                  1e-9);
  }
}

TEST(Probe, OneFeatureByHand) {
  ProbeRows rows;
  for (const auto& [x, c] : {std::pair(-1.f, 0), std::pair(-1.f, 0), std::pair(1.f, 1), std::pair(1.f, 1)})
    rows.add(Tensor::from({x}, {{Axis::d_model, 1}}), c);
  const auto probe = fit_probe(rows, 2, 0.25);
  ASSERT_TRUE(probe);
  EXPECT_NEAR(probe->weights[1], 0.4, 1e-12) << "sum x(y - 1/2) = 2, over sum x^2 + 4 * 0.25 = 5";
  EXPECT_NEAR(probe->offset[1], 0.5, 1e-12);
  EXPECT_EQ(accuracy(*probe, rows), 1);
}

TEST(Probe, WhatIsNotThereIsNotReadOffOtherRows) {
  const ProbeRows fitted = random_rows(60, 40, 2, 5), others = random_rows(2000, 40, 2, 6);
  const auto probe = fit_probe(fitted, 2, 1e-3);
  ASSERT_TRUE(probe);
  EXPECT_GT(accuracy(*probe, fitted), 0.85) << "so many features fit anything";
  EXPECT_NEAR(accuracy(*probe, others), 0.5, 0.05) << "and say nothing of others";
}

TEST(Probe, GuessingIsTheCommonestClassOfTheFittedRows) {
  ProbeRows fitted, others;
  const Tensor row = Tensor::from({0.f}, {{Axis::d_model, 1}});
  for (const int c : {0, 1, 1}) fitted.add(row, c);
  for (const int c : {0, 0, 0, 1}) others.add(row, c);
  EXPECT_EQ(guessing(fitted, others), 0.25);
}

TEST(Probe, TheTokenIsReadOffTheFirstLayerOfARun) {
  const auto opened = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/gpt2");
  ASSERT_TRUE(opened);
  std::vector<ProbePlace> fit, held_out;
  std::mt19937 random(11);
  for (int run = 0; run < 40; ++run) {
    std::vector<int> ids;
    for (int i = 0; i < 8; ++i) ids.push_back(static_cast<int>(3 + random() % 5));
    const auto trace = opened->model->run(Input{ids, {}});
    ASSERT_TRUE(trace);
    for (int row = 0; row < 8; ++row)
      (run % 4 == 0 ? held_out : fit).push_back({*trace, row, ids[size_t(row)]});
  }
  const auto answer = probe_depths(fit, held_out, 1e-3);
  ASSERT_TRUE(answer) << answer.error().text();
  EXPECT_EQ(answer->classes, 5);
  ASSERT_EQ(std::ssize(answer->depths), opened->model->config().n_layers() + 1);
  EXPECT_GT(answer->depths[0].held_out, 0.95) << "the embedding says which token it is";
  EXPECT_LT(answer->guessing, 0.5);
  EXPECT_EQ(to_text(answer->depths.back().site), "blocks.2.resid_post");
}

TEST(Probe, WhatCannotBeFittedIsTold) {
  EXPECT_FALSE(fit_probe({}, 2, 1));
  EXPECT_FALSE(fit_probe(random_rows(4, 2, 1, 1), 1, 1));
  EXPECT_FALSE(probe_depths({}, {}, 1));
}

}  // namespace
}  // namespace attnscope
