// Rows of a step drawn large.
#include "core/view/step_row.h"

#include <gtest/gtest.h>

#include <limits>

namespace attnscope {
namespace {

const figure::MatrixMark& row_mark(const figure::Figure& figure) {
  return std::get<figure::MatrixMark>(find_part(figure, "step_row")->mark);
}

TEST(StepRow, ColumnsStandByTheSizeOfTheLastRowAndMaskedOnesCountLeast) {
  const float hidden = -std::numeric_limits<float>::infinity();
  const auto drawn = large_rows(
      {{{Text("before"), {1, 2, 3, 4}, ""}}, {{Text("after"), {1, hidden, -9, 4}, ""}}}, {}, Text("row"));
  ASSERT_TRUE(drawn);
  EXPECT_EQ(row_mark(*drawn).order, (std::vector<int>{2, 3, 0, 1}));
  EXPECT_EQ(row_mark(*drawn).values.size(0), 2);
  EXPECT_EQ(row_mark(*drawn).own_rows[1].most, 9);
}

TEST(StepRow, FewNumbersHaveTheDigitsThatAreTaught) {
  const auto drawn = large_rows(
      {{{Text("weights"), {0.3211f, 0.3527f, 0.3262f, 0}, ""}, figure::Scale::share}}, {}, Text("row"));
  EXPECT_EQ(row_mark(*drawn).own_rows[0].digits, 4);
}

TEST(StepRow, SmallNumbersHaveMoreDigits) {
  const auto digits = [](float value) {
    const std::vector<float> many(8, value);
    const auto drawn = large_rows({{{Text("x"), many, ""}}}, {}, Text("row"));
    return row_mark(*drawn).own_rows[0].digits;
  };
  EXPECT_EQ(digits(29.7f), 2);
  EXPECT_EQ(digits(-0.32f), 3);
  EXPECT_EQ(digits(0.064f), 4);
}

TEST(StepRow, RowsOfOtherLengthsAreLeftOut) {
  const auto drawn = large_rows({{{Text("a"), {1, 2}, ""}}, {{Text("b"), {1, 2, 3}, ""}}}, {}, Text("row"));
  ASSERT_TRUE(drawn);
  EXPECT_EQ(row_mark(*drawn).values.size(0), 1);
  EXPECT_FALSE(large_rows({}, {}, Text("row")));
  EXPECT_FALSE(large_rows({{{Text("a"), {1}, ""}}, {{Text("b"), {}, ""}}}, {}, Text("row")));
}

}  // namespace
}  // namespace attnscope
