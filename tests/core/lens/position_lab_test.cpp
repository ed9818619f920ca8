// The lab of positions against closed forms, and models past their trained length and without positions.
#include "core/lens/position_lab.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/lens/length_accuracy.h"
#include "core/lens/word_order.h"
#include "tests/golden_run.h"

namespace attnscope {
namespace {

TEST(PositionLab, TheMatrixMovesEveryEncoding) {
  for (const bool halves : {false, true})
    for (const double base : {10000.0, 100.0}) {
      const Tensor table = sinusoid_table(60, 12, halves, base), turn = shift_matrix(12, 7, halves, base);
      EXPECT_LT(shift_encoding(table, 20, 7, halves, base).error, 1e-5);
      for (std::int64_t pos = 0; pos < 50; pos += 11)
        for (std::int64_t dim = 0; dim < 12; ++dim) {
          double sum = 0;
          for (std::int64_t i = 0; i < 12; ++i)
            sum += static_cast<double>(turn.at(dim, i)) * table.at(pos, i);
          EXPECT_NEAR(sum, table.at(pos + 7, dim), 1e-5) << halves << base;
        }
    }
  EXPECT_GT(shift_encoding(sinusoid_table(60, 12, false, 100.0), 20, 7).error, 0.1) << "another base";
}

TEST(PositionLab, DotProductsAreSumsOfCosines) {
  const Tensor table = sinusoid_table(40, 16);
  const auto dots = dot_products(table, 10);
  ASSERT_EQ(dots.size(), 40u);
  for (std::int64_t pos = 0; pos < 40; ++pos) {
    double sum = 0;
    for (int pair = 0; pair < 8; ++pair)
      sum += std::cos(static_cast<double>(pos - 10) * std::pow(10000.0, -2.0 * pair / 16));
    EXPECT_NEAR(dots[static_cast<std::size_t>(pos)], sum, 1e-4);
  }
  const Tensor alike = similarity(table, 20);
  ASSERT_EQ(alike.sizes(), (std::vector<std::int64_t>{20, 20}));
  for (std::int64_t a = 0; a < 20; ++a) {
    EXPECT_NEAR(alike.at(a, a), 1, 1e-6);
    EXPECT_NEAR(alike.at(a, 10), dots[static_cast<std::size_t>(a)] / 8, 1e-5);
    EXPECT_EQ(alike.at(a, 3), alike.at(3, a));
  }
}

TEST(PositionLab, BitsCountAndHandsReachATurn) {
  const Tensor bits = binary_counter(20, 5);
  for (std::int64_t pos = 0; pos < 20; ++pos) {
    std::int64_t sum = 0;
    for (std::int64_t bit = 0; bit < 5; ++bit) sum += (bits.at(bit, pos) > 0 ? 1 : 0) << bit;
    EXPECT_EQ(sum, pos);
  }
  EXPECT_NEAR(pair_reach(1).turn, 2 * std::numbers::pi, 1e-12);
  EXPECT_NEAR(pair_reach(0.01).finest, 200 * std::numbers::pi / 12, 1e-9);
}

TEST(PositionLab, AHeadLooksBackByItsRotation) {
  const Tensor table = sinusoid_table(24, 32);
  for (const std::int64_t k : {0, 1, 4}) {
    const Tensor pattern = look_back(table, k, 3);
    for (std::int64_t query = k; query < 24; ++query) {
      double sum = 0;
      std::int64_t best = 0;
      for (std::int64_t key = 0; key < 24; ++key) {
        sum += static_cast<double>(pattern.at(query, key));
        if (key > query) {
          EXPECT_EQ(pattern.at(query, key), 0.f);
        }
        if (pattern.at(query, key) > pattern.at(query, best)) best = key;
      }
      EXPECT_NEAR(sum, 1, 1e-5);
      EXPECT_EQ(best, query - k);
    }
  }
}

TEST(PositionLab, VariantsStretchAsTheyPromise) {
  const OpenedModel model = testing::golden_model("llama");
  const ModelConfig& config = model.model->config();
  const std::int64_t d = config.blocks[0].attention.d_head;
  const Rotary own = rotary_variant(config, 0, RopeSpec::Kind::standard, 4),
               linear = rotary_variant(config, 0, RopeSpec::Kind::linear, 4),
               dynamic = rotary_variant(config, 0, RopeSpec::Kind::dynamic, 4),
               yarn = rotary_variant(config, 0, RopeSpec::Kind::yarn, 4);
  EXPECT_EQ(own.frequencies, rope_frequencies(config.blocks[0].attention.position.rope, d));
  for (std::size_t i = 0; i < own.frequencies.size(); ++i) {
    EXPECT_DOUBLE_EQ(linear.frequencies[i], own.frequencies[i] / 4);
    EXPECT_LE(dynamic.frequencies[i], own.frequencies[i]);
    EXPECT_LE(yarn.frequencies[i], own.frequencies[i]);
  }
  EXPECT_DOUBLE_EQ(dynamic.frequencies[0], own.frequencies[0]) << "the fastest pair turns on as before";
  EXPECT_NEAR(yarn.magnitude, 0.1 * std::log(4.0) + 1, 1e-12);
}

TEST(WordOrder, WithoutPositionsAndMaskAWordKeepsItsVector) {
  const OpenedModel bert = testing::golden_model("bert");
  Input input;
  input.ids = {3, 10, 17, 24, 31};
  const auto order = word_order(*bert.model, input, 1, 3);
  ASSERT_TRUE(order) << order.error().text();
  ASSERT_EQ(order->words.size(), 5u);
  EXPECT_EQ(order->words[1].to, 3);
  EXPECT_EQ(order->words[3].to, 1);
  for (const WordOrder::Word& word : order->words) {
    EXPECT_GT(word.with, 1e-3);
    EXPECT_LT(word.without, 1e-5);
  }
}

TEST(WordOrder, TheCausalMaskTellsOrderToo) {
  const OpenedModel gpt = testing::golden_model("gpt2");
  Input input;
  input.ids = {3, 10, 17, 24, 31};
  const auto order = word_order(*gpt.model, input, 1, 3);
  ASSERT_TRUE(order) << order.error().text();
  EXPECT_EQ(order->words[0].with, 0) << "it sees neither";
  EXPECT_GT(order->words[1].without, 1e-3);
  EXPECT_GE(order->with[0].id, 0);
  EXPECT_FALSE(word_order(*gpt.model, input, 1, 5));
}

TEST(LengthAccuracy, RunsOnPastTheTrainedLengthWhereAFormulaGoesOn) {
  const OpenedModel llama = testing::golden_model("llama"), gpt = testing::golden_model("gpt2");
  const std::vector<int> ids{3, 10, 17, 24, 31};
  const auto far = length_accuracy(*llama.model, ids, 100);
  ASSERT_TRUE(far) << far.error().text();
  EXPECT_EQ(far->trained, 64);
  EXPECT_FALSE(far->ends);
  ASSERT_EQ(far->probability.size(), 99u);
  EXPECT_EQ(far->readings().size(), 19u);
  const auto near = length_accuracy(*gpt.model, ids, 100);
  ASSERT_TRUE(near) << near.error().text();
  EXPECT_TRUE(near->ends);
  EXPECT_EQ(near->probability.size(), 63u);
  // Against the run's own probabilities.
  Input input;
  for (int i = 0; i < 30; ++i) input.ids.push_back(ids[static_cast<std::size_t>(i) % ids.size()]);
  const auto trace = *gpt.model->run(input);
  for (const std::int64_t row : {0, 7, 28})
    EXPECT_NEAR(near->probability[static_cast<std::size_t>(row)],
                trace->cell(trace->main(Slot::probs), {row, input.ids[static_cast<std::size_t>(row) + 1]}),
                1e-5);
  EXPECT_FALSE(length_accuracy(*testing::golden_model("bert").model, ids, 20));
}

}  // namespace
}  // namespace attnscope
