// Labs about attention against closed forms and plain double loops.
#include <gtest/gtest.h>

#include <cmath>

#include "core/lab/pieces.h"
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
  EXPECT_NE(cell_of(facts, "lab.sqrt.largest", 2).find("0.99999989"), std::string::npos);
  EXPECT_NEAR(number_of(cell_of(facts, "lab.sqrt.gradient", 2)), 1.1254e-7, 1e-9);
}

TEST(SqrtLab, TheStorytellerLooksSharperWithoutTheDivision) {
  const LabTable live = table_of(picture_of("sqrt"), "lab.sqrt.live");
  EXPECT_NEAR(
      number_of(cell_of(live, "lab.sqrt.deviation", 2)) / number_of(cell_of(live, "lab.sqrt.deviation", 1)),
      4, 1.5);  // the root of 16, but for what the sharper first block changes for the second
  EXPECT_LT(number_of(cell_of(live, "lab.sqrt.entropy", 2)), number_of(cell_of(live, "lab.sqrt.entropy", 1)));
}

}  // namespace
}  // namespace attnscope
