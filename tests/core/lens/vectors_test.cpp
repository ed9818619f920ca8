// Lengths and angles in closed form; the sum of an embedding is the run's.
#include "core/lens/vectors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/arch/open.h"

namespace attnscope {
namespace {

Tensor vector(std::vector<float> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return Tensor::from(std::move(values), {{Axis::dim, count}});
}

TEST(Vectors, LengthAngleCosine) {
  const Relation it = relation(vector({3, 4}), vector({4, -3}));
  EXPECT_NEAR(it.length_a, 5, 1e-9);
  EXPECT_NEAR(it.length_b, 5, 1e-9);
  EXPECT_NEAR(it.dot, 0, 1e-9);
  EXPECT_NEAR(it.degrees, 90, 1e-9);
  EXPECT_NEAR(relation(vector({1, 1}), vector({2, 0})).degrees, 45, 1e-6);
  EXPECT_NEAR(relation(vector({1, 2}), vector({-2, -4})).cosine, -1, 1e-9);
  EXPECT_TRUE(std::isnan(relation(vector({0, 0}), vector({1, 0})).cosine));
}

TEST(Vectors, EveryPairAsOne) {
  const Tensor a = Tensor::from({3, 4, 0, 1, 0, 0}, {{Axis::pos, 3}, {Axis::dim, 2}}),
               b = Tensor::from({1, 0, 2, 2}, {{Axis::pos, 2}, {Axis::dim, 2}});
  const Tensor all = cosines(a, b), dots = cosines(a, b, true);
  for (std::int64_t i = 0; i < 3; ++i)
    for (std::int64_t j = 0; j < 2; ++j) {
      const Relation it = relation(a.select(0, i), b.select(0, j));
      EXPECT_NEAR(dots.at(i, j), it.dot, 1e-6);
      EXPECT_EQ(std::isnan(all.at(i, j)), i == 2);
      if (i < 2) {
        EXPECT_NEAR(all.at(i, j), it.cosine, 1e-6);
      }
    }
}

TEST(Vectors, NearestRowsBySortingAllCosines) {
  std::vector<float> cells;
  for (int row = 0; row < 20; ++row)
    for (int i = 0; i < 3; ++i) cells.push_back(std::sin(static_cast<float>(row * 3 + i * i + 1)));
  const Tensor table = Tensor::from(cells, {{Axis::vocab, 20}, {Axis::d_model, 3}});
  const auto near = nearest_rows(table, table.select(0, 6), 5, 6);
  ASSERT_EQ(near.size(), 5u);
  for (std::int64_t row = 0; row < 20; ++row) {
    if (row == 6) continue;
    const double cosine = relation(table.select(0, row), table.select(0, 6)).cosine;
    const bool listed =
        std::any_of(near.begin(), near.end(), [&](const NearRow& one) { return one.row == row; });
    EXPECT_EQ(listed, cosine >= near.back().cosine - 1e-9) << row;
  }
}

TEST(Vectors, AnEmbeddingIsTheSumThatTheRunRecorded) {
  for (const char* name : {"gpt2", "llama", "gemma", "bert", "bart", "marian", "t5"}) {
    auto opened = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/" + name);
    ASSERT_TRUE(opened);
    const ModelConfig& config = opened->model->config();
    Input input;
    input.ids = {5, 17, 5, 33};
    if (config.encoder()) input.source = {4, 9, 3};
    const auto trace = opened->model->run(input);
    ASSERT_TRUE(trace);
    for (const Stack stack : {config.stack, config.encoder() ? Stack::enc : config.stack})
      for (std::int64_t row = 0; row < 3; ++row) {
        const EmbeddingSum sum = embedding_sum(**trace, stack, row);
        ASSERT_FALSE(sum.sum.empty()) << name;
        for (std::int64_t i = 0; i < sum.sum.count(); i += 3)
          EXPECT_NEAR(sum.sum.at(i), (*trace)->cell(site_of(Slot::embed, -1, stack), {row, i}), 1e-5) << name;
        EXPECT_EQ(sum.position.empty(), config.of(stack).position.kind != PositionSpec::Kind::learned &&
                                            config.of(stack).position.kind != PositionSpec::Kind::sinusoidal)
            << name;
      }
  }
}

TEST(Vectors, ThePositionsShareAndTheTokensMakeOne) {
  EmbeddingSum sum;
  sum.token = vector({1, 0, 2});
  sum.position = vector({0, 3, 1});
  for (const double factor : {1.0, 4.0}) {
    // x = (f, 3, 2f + 1)
    const double x0 = factor, x1 = 3, x2 = 2 * factor + 1;
    const double want = (3 * x1 + x2) / (x0 * x0 + x1 * x1 + x2 * x2);
    EXPECT_NEAR(position_share(sum, factor), want, 1e-9);
  }
  EXPECT_LT(position_share(sum, 4), position_share(sum, 1));
  sum.position = {};
  EXPECT_TRUE(std::isnan(position_share(sum, 1)));
}

}  // namespace
}  // namespace attnscope
