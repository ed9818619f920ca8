// Labs about attention against closed forms and plain double loops.
#include <gtest/gtest.h>

#include <cmath>

#include "core/lab/half.h"
#include "core/lab/pieces.h"
#include "core/tensor/dtype.h"
#include "tests/core/lab/lab_pictures.h"

namespace attnscope {
namespace {

using namespace testing;

// ---- sqrt ------------------------------------------------------------------------------------------

// The same draw of queries and keys, in plain loops.
double variance_by_loops(std::int64_t d, std::int64_t keys) {
  const Tensor q = normal_rows(7, 256, d), k = normal_rows(8, keys, d);
  double sum = 0, squares = 0;
  for (std::int64_t i = 0; i < 256; ++i)
    for (std::int64_t j = 0; j < keys; ++j) {
      double dot = 0;
      for (std::int64_t c = 0; c < d; ++c)
        dot += static_cast<double>(q.at(i, c)) * static_cast<double>(k.at(j, c));
      sum += dot, squares += dot * dot;
    }
  const double cells = 256.0 * static_cast<double>(keys);
  return squares / cells - sum / cells * sum / cells;
}

TEST(SqrtLab, MeasuresTheVarianceThatPlainLoopsFind) {
  const auto measured = series_of(picture_of("sqrt"), "lab.sqrt.measured");
  ASSERT_EQ(measured.size(), 10U);  // 1, 2, 4, .. 512
  for (const std::size_t at : {0U, 6U, 9U}) {
    const double loops = variance_by_loops(std::int64_t{1} << at, 8);
    EXPECT_NEAR(measured[at].second, loops, 1e-4 * loops);
    EXPECT_NEAR(measured[at].second / measured[at].first, 1, 0.45) << "d_k " << measured[at].first;
  }
}

TEST(SqrtLab, ScalingBringsTheVarianceToOneAndTheGradientBack) {
  const LabPicture off = picture_of("sqrt", {"d_k=512"}), on = picture_of("sqrt", {"d_k=512", "scaling=on"});
  const auto variance = [](const LabPicture& picture) {
    return number_of(cell_of(table_of(picture, "lab.sqrt.facts"), "lab.sqrt.variance"));
  };
  EXPECT_NEAR(variance(off) / variance(on), 512, 1);
  EXPECT_NEAR(variance(on), 1, 0.3);
  const auto gradients_off = series_of(off, "lab.sqrt.gradient"),
             gradients_on = series_of(on, "lab.sqrt.gradient");
  EXPECT_LT(gradients_off.back().second, 0.05);
  EXPECT_GT(gradients_on.back().second, 0.15);
  EXPECT_EQ(off.notice.key(), "lab.sqrt.notice.saturated");
  EXPECT_EQ(on.notice.key(), "lab.sqrt.notice.on");
}

TEST(SqrtLab, TwoKeysAtEightHaveTheWeightOfTheBook) {
  const LabTable facts = table_of(picture_of("sqrt", {"d_k=64"}), "lab.sqrt.facts");
  EXPECT_EQ(cell_of(facts, "lab.sqrt.pair", 2), "0.99999989");
  EXPECT_NEAR(number_of(cell_of(facts, "lab.sqrt.pair", 1)), 0.99999989, 1e-7) << "the core's softmax";
}

TEST(SqrtLab, TheFormulaOfTwoKeysDoesNotStandBesideRandomOnes) {
  for (const char* keys : {"keys=2", "keys=8", "keys=32"}) {
    const LabTable facts = table_of(picture_of("sqrt", {"d_k=64", keys}), "lab.sqrt.facts");
    const auto bound = [&](const char* row) {
      for (const auto& cells : facts.rows)
        if (cells[0].key() == row) return number_of(cells[2].arguments().at(0).str());
      return -1.0;
    };
    EXPECT_LE(number_of(cell_of(facts, "lab.sqrt.entropy")), bound("lab.sqrt.entropy")) << keys;
    EXPECT_GE(number_of(cell_of(facts, "lab.sqrt.largest")), bound("lab.sqrt.largest")) << keys;
    EXPECT_LE(number_of(cell_of(facts, "lab.sqrt.gradient")), bound("lab.sqrt.gradient")) << keys;
  }
}

TEST(SqrtLab, TheStorytellerLooksSharperWithoutTheDivision) {
  const LabTable live = table_of(picture_of("sqrt"), "lab.sqrt.live");
  EXPECT_NEAR(
      number_of(cell_of(live, "lab.sqrt.deviation", 2)) / number_of(cell_of(live, "lab.sqrt.deviation", 1)),
      4, 0.02);  // the root of 16: the same queries and keys
  EXPECT_LT(number_of(cell_of(live, "lab.sqrt.entropy", 2)), number_of(cell_of(live, "lab.sqrt.entropy", 1)));
}

// ---- softmax ---------------------------------------------------------------------------------------

TEST(SoftmaxLab, RoundsToHalfAsTheFormatSays) {
  for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {  // every finite number from 0 up
    const float value = float_from_f16(static_cast<std::uint16_t>(bits));
    ASSERT_EQ(rounded_to_half(value), static_cast<double>(value)) << bits;
    if (bits + 1 == 0x7c00) continue;
    const float next = float_from_f16(static_cast<std::uint16_t>(bits + 1));
    const float even = bits % 2 == 0 ? value : next;
    ASSERT_EQ(rounded_to_half((value + next) / 2), static_cast<double>(even)) << bits;
  }
  EXPECT_TRUE(std::isinf(rounded_to_half(65520.f)));
  EXPECT_EQ(rounded_to_half(-65519.f), -65504.0);
}

std::vector<double> column_of(const LabTable& table, std::size_t col) {
  std::vector<double> out;
  for (std::size_t row = 0; row < 5; ++row) {
    const std::string text = table.rows[row][col].str();
    out.push_back(text == "NaN" ? NAN : text == "∞" ? INFINITY : number_of(text));
  }
  return out;
}

TEST(SoftmaxLab, OverflowsWhereTheFormatEnds) {
  const auto naive = [](const std::vector<std::string>& set) {
    return column_of(table_of(picture_of("softmax", set), "lab.softmax.steps"), 3);
  };
  EXPECT_FALSE(std::isnan(naive({"largest=88"})[0]));
  EXPECT_TRUE(std::isnan(naive({"largest=89"})[0]));
  EXPECT_FALSE(std::isnan(naive({"largest=10", "precision=float16"})[0]));
  EXPECT_TRUE(std::isnan(naive({"largest=11.2", "precision=float16"})[0]));
  EXPECT_EQ(picture_of("softmax", {"largest=100"}).notice.key(), "lab.softmax.notice.overflow");
  EXPECT_EQ(picture_of("softmax", {"largest=0", "constant=-200"}).notice.key(),
            "lab.softmax.notice.underflow");
}

TEST(SoftmaxLab, AConstantChangesNoWeight) {
  const LabTable at = table_of(picture_of("softmax", {"largest=10"}), "lab.softmax.steps"),
                 moved = table_of(picture_of("softmax", {"largest=10", "constant=100"}), "lab.softmax.steps");
  double sum = 0;
  for (const double score : {10.0, 9.0, 8.0, 5.0, 0.0}) sum += std::exp(score);
  const double first = std::exp(10) / sum;
  for (const std::size_t col : {5U, 6U}) {
    EXPECT_NEAR(column_of(at, col)[0], first, 1e-4);
    EXPECT_EQ(column_of(at, col), column_of(moved, col));
  }
}

TEST(SoftmaxLab, AWeightThatIsNoNormalFloatIsSaidToBeFlushed) {
  const auto program = [](const char* largest, std::size_t key) {
    return table_of(picture_of("softmax", {largest}), "lab.softmax.steps").rows[key].at(6).key();
  };
  EXPECT_EQ(program("largest=100", 4), "lab.softmax.flushed");  // 2.5e-44
  EXPECT_EQ(program("largest=100", 3), "");                     // 1.3e-22
  EXPECT_EQ(program("largest=80", 4), "");
}

TEST(SoftmaxLab, AFullyMaskedRowIsNaNButHere) {
  const LabTable steps = table_of(picture_of("softmax", {"mask=all"}), "lab.softmax.steps");
  for (const double weight : column_of(steps, 3)) EXPECT_TRUE(std::isnan(weight));
  for (const double weight : column_of(steps, 5)) EXPECT_TRUE(std::isnan(weight));
  for (const double weight : column_of(steps, 6)) EXPECT_EQ(weight, 0);
}

// ---- order -----------------------------------------------------------------------------------------

TEST(OrderLab, WithoutPositionsTheRowsMoveWithTheirWords) {
  const LabPicture picture = picture_of("order");
  const LabMatrix *before = matrix_of(picture, "lab.order.before"),
                  *after = matrix_of(picture, "lab.order.after");
  ASSERT_TRUE(before && after);
  const auto moved = [](std::int64_t at) { return at == 0 ? 2 : at == 2 ? 0 : at; };
  for (std::int64_t query = 0; query < 5; ++query)
    for (std::int64_t key = 0; key < 5; ++key)
      EXPECT_NEAR(before->values.at(query, key), after->values.at(moved(query), moved(key)), 1e-6);
  for (const auto& row : table_of(picture, "lab.order.rows").rows) EXPECT_LT(number_of(row[3].str()), 1e-5);
  EXPECT_EQ(picture.notice.key(), "lab.order.notice.same");
}

TEST(OrderLab, PositionsOrACausalMaskTellTheOrder) {
  for (const char* set : {"positions=on", "causal=on"}) {
    const LabPicture picture = picture_of("order", {set});
    double largest = 0;
    for (const auto& row : table_of(picture, "lab.order.rows").rows)
      largest = std::max(largest, number_of(row[3].str()));
    EXPECT_GT(largest, 1e-2) << set;
    EXPECT_NE(picture.notice.key(), "lab.order.notice.same") << set;
    EXPECT_NE(picture.formula.str().find("≠"), std::string::npos) << set;
  }
}

// ---- heads -----------------------------------------------------------------------------------------

TEST(HeadsLab, TheWideHeadIsTheSoftmaxOfAllProducts) {
  const auto story = shipped_model("storyteller");
  ASSERT_TRUE(story);
  const auto input = text_input(**story, "The cat sat on the mat because it was tired");
  ASSERT_TRUE(input);
  const auto trace = (*story)->model->run(*input);
  ASSERT_TRUE(trace);
  const Tensor q = (*trace)->find(site_of(Slot::q, 1))->value(),
               k = (*trace)->find(site_of(Slot::k, 1))->value();
  const std::int64_t query = 9;
  std::vector<double> weights;
  double sum = 0;
  for (std::int64_t key = 0; key <= query; ++key) {
    double dot = 0;
    for (std::int64_t d = 0; d < q.size(1); ++d)
      dot += static_cast<double>(q.at(query, d)) * static_cast<double>(k.at(key, d));
    weights.push_back(std::exp(dot / std::sqrt(static_cast<double>(q.size(1)))));
    sum += weights.back();
  }
  const LabPicture picture = picture_of("heads", {"query=9", "n=16"});
  const LabMatrix* rows = nullptr;
  for (const LabPiece& piece : picture.pieces)
    if (const auto* one = std::get_if<LabMatrix>(&piece.what)) rows = one;
  ASSERT_NE(rows, nullptr);
  ASSERT_EQ(rows->values.size(0), 5);
  for (std::int64_t key = 0; key <= query; ++key) {
    EXPECT_NEAR(static_cast<double>(rows->values.at(4, key)), weights[static_cast<std::size_t>(key)] / sum,
                1e-5);
    EXPECT_EQ(rows->values.at(2, key), (*trace)->cell(site_of(Slot::pattern, 1), {2, query, key}));
  }
}

TEST(HeadsLab, HeadsOfAnyNumberCostTheSameProducts) {
  for (const char* heads : {"heads=1", "heads=16", "heads=32"}) {
    const LabTable cost = table_of(picture_of("heads", {heads, "n=64"}), "lab.heads.cost");
    EXPECT_EQ(cell_of(cost, "lab.heads.products", 1), cell_of(cost, "lab.heads.products", 2));
    EXPECT_EQ(number_of(cell_of(cost, "lab.heads.products", 2)), 64.0 * 64 * 512);
  }
}

// ---- complexity ------------------------------------------------------------------------------------

TEST(ComplexityLab, CountsAsThePaperDoes) {
  const LabTable table =
      table_of(picture_of("complexity", {"n=4096", "d=512", "k=3"}), "lab.complexity.table");
  EXPECT_EQ(number_of(cell_of(table, "lab.complexity.attention", 2)), 4096.0 * 4096 * 512);
  EXPECT_EQ(picture_of("complexity", {"n=4096"}).formula.arguments()[4].str(), "16,777,216");
  EXPECT_EQ(number_of(cell_of(table, "lab.complexity.recurrent", 2)), 4096.0 * 512 * 512);
  EXPECT_EQ(number_of(cell_of(table, "lab.complexity.convolution", 2)), 3.0 * 4096 * 512 * 512);
  EXPECT_EQ(cell_of(table, "lab.complexity.recurrent", 4), "4,096");
  EXPECT_EQ(cell_of(table, "lab.complexity.convolution", 4), "8");  // 3^8 = 6561
  EXPECT_EQ(picture_of("complexity", {"n=256", "d=512"}).notice.key(), "lab.complexity.notice.short");
}

TEST(ComplexityLab, AttentionTakesLongerOverLongerInputs) {
  const auto measured = series_of(picture_of("complexity", {"d=64"}), "lab.complexity.attend");
  ASSERT_EQ(measured.size(), 7U);
  EXPECT_GT(measured.back().second, 8 * measured.front().second);
}

// ---- streaming -------------------------------------------------------------------------------------

TEST(StreamingLab, TileByTileGivesTheSoftmaxOfTheWholeRow) {
  const Tensor drawn = normal_rows(41, 2, 32);
  double sum = 0, weighted = 0;
  for (std::int64_t key = 0; key < 32; ++key) {
    const double e = std::exp(3 * static_cast<double>(drawn.at(0, key)));
    sum += e, weighted += e * static_cast<double>(drawn.at(1, key));
  }
  for (const char* tile : {"tile=1", "tile=5", "tile=8", "tile=16"}) {
    const LabPicture picture = picture_of("streaming", {tile, "step=31"});
    const LabTable walk = table_of(picture, "lab.streaming.walk");
    EXPECT_NEAR(number_of(walk.rows.back()[6].str()), weighted / sum, 2e-4) << tile;
    EXPECT_EQ(picture.notice.key(), "lab.streaming.notice.end");
    EXPECT_NEAR(number_of(picture.notice.arguments()[1].str()), weighted / sum, 1e-5) << "the core's";
    EXPECT_NEAR(number_of(picture.notice.arguments()[6].str()), std::log(sum), 1e-4);
  }
}

TEST(StreamingLab, ALargerScoreShrinksWhatWasSummed) {
  const auto most = series_of(picture_of("streaming", {"tile=1", "step=31"}), "lab.streaming.most");
  for (std::size_t key = 1; key < most.size(); ++key) EXPECT_GE(most[key].second, most[key - 1].second);
  const LabTable walk = table_of(picture_of("streaming", {"tile=1", "step=7"}), "lab.streaming.walk");
  for (std::size_t row = 1; row < walk.rows.size(); ++row) {
    const double before = number_of(walk.rows[row - 1][2].str()), now = number_of(walk.rows[row][2].str());
    EXPECT_NEAR(number_of(walk.rows[row][3].str()), std::exp(before - now), 0.02);
  }
}

}  // namespace
}  // namespace attnscope
