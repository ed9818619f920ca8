// The matrix plot without a screen: where cells lie, what is under the pointer, zoom, number formats.
#include "app/widgets/matrix_plot.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "app/figure/canvas.h"
#include "app/figure/display_list.h"
#include "app/look/fonts.h"
#include "app/widgets/matrix_parts.h"
#include "tests/app/widgets/imgui_fixture.h"

namespace attnscope {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

Tensor matrix(std::int64_t rows, std::int64_t cols) {
  std::vector<float> values(static_cast<std::size_t>(rows * cols));
  std::iota(values.begin(), values.end(), -3.f);
  return Tensor::from(std::move(values), {{Axis::query, rows}, {Axis::key, cols}});
}

MatrixPlot plot_of(Tensor values) {
  MatrixPlot plot;
  plot.key = "m";
  plot.values = std::move(values);
  plot.style.map = Colormap::diverging;
  return plot;
}

using MatrixPlotTest = testing::ImguiFixture;

// Beside a lesson two large decimals are worth more than three small ones.
TEST_F(MatrixPlotTest, FewDecimalsAreLargeOnes) {
  MatrixPlot plot = plot_of(Tensor::from({1, 0.25f, 0.5f, 0.125f}, {{Axis::query, 2}, {Axis::key, 2}}));
  plot.show_numbers = plot.large_numbers = true;
  MatrixLayout layout;
  layout.cell = ImVec2(37 * ui_scale(), 21 * ui_scale());
  EXPECT_NE(fitting_numbers(plot, layout).font, fonts().formula);
  plot.short_numbers = true;
  EXPECT_EQ(fitting_numbers(plot, layout).font, fonts().formula);
  layout.cell.x = 20 * ui_scale();
  EXPECT_NE(fitting_numbers(plot, layout).font, fonts().formula) << "they do not fit";
}

TEST(NumberText, SaysWhatACellHolds) {
  EXPECT_EQ(number_text(-0.0333f, 4), "−0.0333");
  EXPECT_EQ(number_text(0.5f, 1), "0.5");
  EXPECT_EQ(number_text(-0.00001f, 4), "0.0000") << "no minus before nothing";
  EXPECT_EQ(number_text(-kInf, 4), "−∞");
  EXPECT_EQ(number_text(kMasked, 4), "−∞");
  EXPECT_EQ(number_text(kInf, 4), "∞");
  EXPECT_EQ(number_text(std::nanf(""), 4), "NaN");
  EXPECT_EQ(number_text(-1.5e7f, 1), "−1.5e7");
  EXPECT_EQ(number_text(3.f, 0), "3");
}

TEST(NumberText, LegendsHaveThreeSignificantDigits) {
  EXPECT_EQ(short_number(-0.12412), "−0.124");
  EXPECT_EQ(short_number(1.5e-7), "1.5·10⁻⁷");
  EXPECT_EQ(short_number(-2.11e-5), "−2.11·10⁻⁵");
  EXPECT_EQ(short_number(123456), "1.23·10⁵");
  EXPECT_EQ(short_number(1e36), "10³⁶");
  EXPECT_EQ(short_number(-1e-5), "−1·10⁻⁵");
  EXPECT_EQ(short_number(0), "0");
}

TEST(SignedRange, IsSymmetricAndSkipsWhatIsNotFinite) {
  const ValueRange range =
      signed_range(Tensor::from({-2.f, 0.5f, kInf, -kInf, std::nanf("")}, {{Axis::dim, 5}}));
  EXPECT_FLOAT_EQ(range.lo, -2.f);
  EXPECT_FLOAT_EQ(range.hi, 2.f);
  const ValueRange zeros = signed_range(Tensor::filled({{Axis::dim, 3}}, 0.f));
  EXPECT_LT(zeros.lo, zeros.hi) << "a range of nothing would divide by zero";
}

TEST_F(MatrixPlotTest, CellsAreNoLargerThanAskedAndStayInside) {
  MatrixPlot plot = plot_of(matrix(4, 4));
  plot.max_cell = 50;
  const ImVec2 size = matrix_size(plot, ImVec2(2000, 2000));
  const MatrixLayout layout = matrix_layout(plot, ImVec2(2000, 2000));
  EXPECT_LE(layout.cell.x, 50.f);
  EXPECT_LE(size.x, 4 * 50.f + layout.cells0.x + 0.5f);
  for (const auto& [rows, cols] : {std::pair{1, 1}, {1, 300}, {300, 1}, {512, 512}, {7, 3}}) {
    const ImVec2 fits = matrix_size(plot_of(matrix(rows, cols)), ImVec2(400, 300));
    EXPECT_LE(fits.x, 400.5f) << rows << " x " << cols;
    EXPECT_LE(fits.y, 300.5f) << rows << " x " << cols;
  }
}

TEST_F(MatrixPlotTest, SlantedLabelsStayInsideToo) {
  MatrixPlot plot = plot_of(matrix(5, 12));
  for (int i = 0; i < 12; ++i) plot.cols.labels.push_back("<act_" + std::to_string(i) + ">");
  const ImVec2 room(400, 300);
  const MatrixLayout layout = matrix_layout(plot, room);
  ASSERT_TRUE(layout.slanted);
  EXPECT_GT(layout.beyond, 10.f);
  EXPECT_LE(layout.cells1.x + layout.beyond, room.x + 0.5f);
  fill_room(plot, room, ImVec2(1000, 1000));
  const MatrixLayout filled = matrix_layout(plot, room);
  EXPECT_LE(filled.cells1.x + filled.beyond, room.x + 0.5f);
  EXPECT_LE(filled.cells1.y, room.y + 0.5f);
  EXPECT_GT(filled.cells1.x + filled.beyond, room.x - 20) << "and they fill it";
  EXPECT_GT(filled.cells1.y, room.y - 20);
}

TEST_F(MatrixPlotTest, HitsTheCellUnderAPoint) {
  MatrixPlot plot = plot_of(matrix(3, 5));
  plot.cell = ImVec2(20, 10);
  plot.row_label_width = 40;
  plot.col_label_height = 30;
  const MatrixLayout layout = matrix_layout(plot, ImVec2(400, 300));
  std::int64_t row = -1, col = -1;
  EXPECT_TRUE(layout.hit(ImVec2(40.5f, 30.5f), row, col));
  EXPECT_EQ(row, 0);
  EXPECT_EQ(col, 0);
  EXPECT_TRUE(layout.hit(ImVec2(40 + 4 * 20 + 19.5f, 30 + 2 * 10 + 9.5f), row, col));
  EXPECT_EQ(row, 2);
  EXPECT_EQ(col, 4);
  EXPECT_FALSE(layout.hit(ImVec2(39, 35), row, col));
  EXPECT_FALSE(layout.hit(ImVec2(40 + 5 * 20 + 1, 35), row, col));
}

TEST_F(MatrixPlotTest, AWindowShiftsWhatIsHit) {
  MatrixPlot plot = plot_of(matrix(10, 10));
  MatrixWindow window{2, 4, 6, 8};
  plot.window = &window;
  plot.cell = ImVec2(20, 20);
  plot.row_label_width = plot.col_label_height = 0;
  const MatrixLayout layout = matrix_layout(plot, ImVec2(400, 300));
  std::int64_t row = -1, col = -1;
  ASSERT_TRUE(layout.hit(ImVec2(1, 1), row, col));
  EXPECT_EQ(row, 2);
  EXPECT_EQ(col, 4);
}

TEST(MatrixZoom, KeepsThePointAndTheBorders) {
  const MatrixWindow closer = zoomed({}, 30, 70, 2, 100, 100);
  EXPECT_DOUBLE_EQ(closer.row1 - closer.row0, 50);
  EXPECT_DOUBLE_EQ((30 - closer.row0) / 50, 0.3);
  EXPECT_DOUBLE_EQ((70 - closer.col0) / 50, 0.7);
  EXPECT_TRUE(zoomed(closer, 30, 70, 0.4, 100, 100).all()) << "zooming out ends at the whole matrix";
  const MatrixWindow closest = zoomed({}, 0, 0, 1e9, 100, 100);
  EXPECT_DOUBLE_EQ(closest.row1 - closest.row0, 2) << "two cells are the closest look";
  EXPECT_GE(zoomed({0, 0, 10, 10}, 0, 0, 0.5, 100, 100).row0, 0);
}

TEST_F(MatrixPlotTest, AWindowOfALargerMatrixIsMovedIntoThisOne) {
  for (const MatrixWindow window :
       {MatrixWindow{-5, 3, 1e9, 4.5}, {40, 40, 50, 50}, {2, 2, 2.001, 2.001}, {-9, -9, -8, -1}}) {
    MatrixWindow asked = window;
    MatrixPlot plot = plot_of(matrix(10, 10));
    plot.window = &asked;
    const MatrixWindow seen = matrix_layout(plot, ImVec2(400, 300)).seen;
    for (const auto& [begin, end] : {std::pair(seen.row0, seen.row1), std::pair(seen.col0, seen.col1)}) {
      EXPECT_GE(begin, 0);
      EXPECT_GE(end, begin + 1);
      EXPECT_LE(end, 10);
    }
  }
}

TEST_F(MatrixPlotTest, PointingAndClickingGiveTheCell) {
  MatrixPlot plot = plot_of(matrix(4, 4));
  plot.cell = ImVec2(60, 40);
  plot.row_label_width = plot.col_label_height = 0;
  MatrixEvent event;
  const auto draw = [&] { event = draw_matrix(painter_, plot, ImVec2(100, 100), ImVec2(400, 300)); };
  point_at(100 + 60 * 2 + 30, 100 + 40 + 20);
  for (int i = 0; i < 3; ++i) frame(draw);
  EXPECT_EQ(event.row, 1);
  EXPECT_EQ(event.col, 2);
  EXPECT_TRUE(event.numbers);
  press(true);
  frame(draw);
  EXPECT_FALSE(event.clicked) << "a click ends where the button is released";
  press(false);
  frame(draw);
  EXPECT_TRUE(event.clicked);
  point_at(5, 5);
  frame(draw);
  frame(draw);
  EXPECT_FALSE(event.hovered());
}

TEST_F(MatrixPlotTest, DrawsOddMatrices) {
  const float nan = std::nanf("");
  for (Tensor values : {matrix(1, 1), matrix(1, 200), matrix(200, 1),
                        Tensor::from({nan, -kInf, kInf, kMasked}, {{Axis::query, 2}, {Axis::key, 2}}),
                        Tensor(), Tensor::from({1.f, 2.f}, {{Axis::dim, 2}})}) {
    MatrixPlot plot = plot_of(std::move(values));
    plot.cols.labels = {"a long label of a column", "한국어"};
    plot.rows.title = "query";
    plot.marks.push_back({0, 0, 0, 2, 2});
    frame([&] {
      ImGui::TextUnformatted("x");
      draw_matrix(painter_, plot, ImVec2(20, 20), ImVec2(300, 200));
      draw_legend(plot.style, "value", ImVec2(350, 20), ImVec2(16, 180));
    });
    painter_.drop("m");
  }
}

TEST_F(MatrixPlotTest, TicksOfALegendStandApart) {
  for (const float end : {1.f, 0.5f, 0.00247f, 1.23e-5f, 123456.f})
    for (const float wide : {60.f, 120.f, 150.f, 200.f, 400.f}) {
      HeatStyle style;
      style.map = Colormap::diverging;
      style.log_scale = true;
      set_range(style, {-end, end, -end, end});
      DisplayList list;
      frame([&] {
        const DrawRecording on(&list);
        draw_legend(style, "", ImVec2(20, 20), ImVec2(wide, 11), false);
      });
      std::vector<std::pair<float, float>> texts;
      for (const DrawItem& item : list.items())
        if (item.kind == DrawItem::Kind::text) texts.emplace_back(item.p0.x, item.p1.x);
      std::sort(texts.begin(), texts.end());
      EXPECT_GE(texts.size(), 2u);
      for (std::size_t i = 1; wide >= 120 && i < texts.size(); ++i)
        EXPECT_GT(texts[i].first, texts[i - 1].second) << end << " in " << wide;
      EXPECT_TRUE(wide < 400 || texts.size() == 5) << end;
    }
}

TEST_F(MatrixPlotTest, TheMiddleGoesFirst) {
  const std::string text = "blocks.0.attn.pattern";
  const std::string shorter(middle_truncated(fonts().mono, text, 80));
  EXPECT_LE(text_size(fonts().mono, shorter).x, 80);
  EXPECT_EQ(shorter.substr(0, 2), "bl");
  EXPECT_EQ(shorter.substr(shorter.size() - 2), "rn");
  EXPECT_EQ(middle_truncated(fonts().mono, "ab", 80), "ab");
}

TEST(SignedRange, OneFarLargerValueDoesNotFlattenTheRest) {
  std::vector<float> values(400);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<float>(i));
  values[7] = 250.f;
  values[9] = -kInf;
  values[11] = kMasked;
  const ValueRange range = signed_range(Tensor::from(values, {{Axis::pos, 20}, {Axis::dim, 20}}));
  EXPECT_LT(range.hi, 1.1f);
  EXPECT_GT(range.hi, 0.9f);
  EXPECT_EQ(range.lo, -range.hi);
  EXPECT_EQ(range.most, 250.f) << "the legend tells it";
  EXPECT_GE(range.least, -1.f);
  EXPECT_TRUE(range.clipped());
  HeatStyle style;
  set_range(style, range);
  EXPECT_TRUE(style.clipped);
  EXPECT_EQ(style.hi, range.hi);
  set_range(style, range, true);
  EXPECT_FALSE(style.clipped);
  EXPECT_EQ(style.hi, 250.f) << "heights are never clipped";
  style.log_scale = true;
  set_range(style, range);
  EXPECT_FALSE(style.clipped) << "nor is a logarithmic scale";
}

TEST(SignedRange, WhatIsSpreadOutIsNotClipped) {
  std::vector<float> bell(2000), few{1, 0, 0, 40};
  for (std::size_t i = 0; i < bell.size(); ++i) {  // about normal: the sum of waves out of step
    const double x = static_cast<double>(i);
    bell[i] =
        static_cast<float>(std::sin(x * 1.7) + std::sin(x * 2.9) + std::sin(x * 5.3) + std::sin(x * 0.31));
  }
  EXPECT_FALSE(signed_range(Tensor::from(bell, {{Axis::dim, 2000}})).clipped());
  EXPECT_FALSE(signed_range(Tensor::from(few, {{Axis::dim, 4}})).clipped()) << "few numbers can be read";
  std::vector<float> one_of_all(400);
  one_of_all[3] = 2.f;
  EXPECT_FALSE(signed_range(Tensor::from(one_of_all, {{Axis::dim, 400}})).clipped()) << "the rest is 0";
}

}  // namespace
}  // namespace attnscope
