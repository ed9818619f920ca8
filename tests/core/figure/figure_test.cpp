// Numbers as text, B - A, a figure as text and as SVG: the numbers drawn are those of the marks.
#include "core/figure/figure.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/figure/drawing.h"
#include "tests/core/figure/samples.h"
#include "tests/xml.h"

namespace attnscope::figure {
namespace {

using namespace attnscope::testing;

TEST(NumberText, HasOneMinusAndNoNegativeZero) {
  EXPECT_EQ(number_text(0.987, 2), "0.99");
  EXPECT_EQ(number_text(0.987, 2, true), "1.0");
  EXPECT_EQ(number_text(0.42, 2, true), ".4");
  EXPECT_EQ(number_text(-1.234, 2),
            "\xE2\x88\x92"
            "1.23");
  EXPECT_EQ(number_text(-0.001, 2), "0.00");
  EXPECT_EQ(number_text(std::nan(""), 2), "NaN");
  EXPECT_EQ(number_text(3.4e38, 2), "3.4e38");
  EXPECT_EQ(number_text(-2.5e6, 2),
            "\xE2\x88\x92"
            "2.5e6");
  EXPECT_EQ(number_text(1e10, 2), "1.0e10");
}

TEST(Minus, SubtractsCellsAndKeepsWhatIsMaskedInBoth) {
  const float none = -std::numeric_limits<float>::infinity();
  const auto of = [&](std::vector<float> values) {
    MatrixMark out;
    out.values = Tensor::from(std::move(values), {{Axis::query, 2}, {Axis::key, 2}});
    return Figure{"f", leaf({"m", out, 1, {}, ""})};
  };
  const Figure difference = minus(of({0.5f, none, 0.25f, 0.75f}), of({1.f, none, none, 0.75f}));
  const auto& matrix = std::get<MatrixMark>(find_part(difference, "m")->mark);
  EXPECT_FLOAT_EQ(matrix.values.at(0, 0), -0.5f);
  EXPECT_EQ(matrix.values.at(0, 1), none);
  EXPECT_FLOAT_EQ(matrix.values.at(1, 0), 0.25f);
  EXPECT_FLOAT_EQ(matrix.values.at(1, 1), 0.f);
  EXPECT_EQ(matrix.scale, Scale::diverging);
  EXPECT_DOUBLE_EQ(matrix.most, 0.5);
}

TEST(Svg, IsWellFormedAndItsDigitsAreTheCells) {
  const Measure measure;
  const Figure figure = sample_figure(6, "a<&\">");
  const Placed placed = place(figure, 1600, 1000, kWindowLetters, measure);
  ASSERT_TRUE(placed.given_up.empty());
  const std::string svg = to_svg(draw(placed, kWindowLetters, measure, true), figure.title.str());
  XmlReader reader(svg);
  const auto elements = reader.read();
  ASSERT_TRUE(elements) << reader.error();
  std::vector<std::string> drawn, wanted;
  for (const XmlElement& element : *elements)
    if (element.name == "text") drawn.push_back(element.text);
  const MatrixMark plane = sample_plane(6);
  for (int times = 0; times < 2; ++times)  // scores and pattern
    for (std::int64_t row = 0; row < 6; ++row)
      for (std::int64_t col = 0; col <= row; ++col)
        wanted.push_back(number_text(static_cast<double>(plane.values.at(row, col)), 2));
  for (std::int64_t col = 0; col < 6; ++col)
    wanted.push_back(number_text(static_cast<double>(plane.values.at(5, col)), 2));
  for (const std::string& number : wanted) {
    const auto found = std::find(drawn.begin(), drawn.end(), number);
    ASSERT_NE(found, drawn.end()) << number;
    drawn.erase(found);
  }
}

TEST(Svg, OtherKeysAreAddedUp) {
  const Measure measure;
  const MatrixMark row = sample_row(sample_plane(40));
  const Figure figure{"f", leaf({"row", row, 3, {}, ""})};
  const Placed placed = place(figure, 500, 120, kWindowLetters, measure);
  const std::vector<int>& shown = placed.parts.front().columns;
  ASSERT_LT(shown.size(), 40u);
  ASSERT_GE(shown.size(), 3u);
  double others = 0, weakest = 1, strongest_hidden = 0;
  for (int col = 0; col < 40; ++col) {
    const auto value = static_cast<double>(row.values.at(0, col));
    if (std::find(shown.begin(), shown.end(), col) != shown.end()) {
      weakest = std::min(weakest, value);
    } else {
      others += value, strongest_hidden = std::max(strongest_hidden, value);
    }
  }
  EXPECT_GE(weakest, strongest_hidden);
  const Drawing drawing = draw(placed, kWindowLetters, measure, true);
  const std::string wanted = number_text(others, 2, placed.parts.front().form.has(Give::short_numbers));
  EXPECT_TRUE(std::any_of(drawing.shapes.begin(), drawing.shapes.end(),
                          [&](const DrawnShape& shape) { return shape.digit && shape.text == wanted; }));
}

TEST(Svg, SaysWhoseNumbersAMatrixShows) {
  const Measure measure;
  MatrixMark plane = sample_plane(3);
  plane.of = "blocks.0.attn.pattern[head=1]";
  const Figure figure{"f", leaf({"pattern", plane, 1, {}, ""})};
  const Placed placed = place(figure, 400, 300, kWindowLetters, measure);
  const std::string svg = to_svg(draw(placed, kWindowLetters, measure, true), "f");
  XmlReader reader(svg);
  const auto elements = reader.read();
  ASSERT_TRUE(elements) << reader.error();
  int digits = 0;
  for (const XmlElement& element : *elements)
    digits +=
        element.name == "text" && element.site == plane.of && element.text.find('.') != std::string::npos;
  EXPECT_EQ(digits, 6);
}

TEST(AsText, HasEveryNumberOfAMatrix) {
  const std::string text = as_text(sample_figure(3));
  EXPECT_NE(text.find("Attention pattern"), std::string::npos);
  EXPECT_NE(text.find("word2\t0.2727\t0.5455\t0.8182"), std::string::npos) << text;
}

TEST(FigureColours, PositiveIsBlueAndNegativeIsOrangeAsInTheWindow) {
  for (const bool dark : {true, false}) {
    const Rgb plus = palette(dark).heat(Scale::diverging, 1),
              minus = palette(dark).heat(Scale::diverging, -1);
    EXPECT_GT(plus & 0xffu, plus >> 16);
    EXPECT_LT(minus & 0xffu, minus >> 16);
  }
}

}  // namespace
}  // namespace attnscope::figure
