// The solver: in every room all fits or it says so, the result gives way last, nothing is given up in vain,
// and the same room gives the same places.
#include "core/figure/place.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/figure/drawing.h"
#include "tests/core/figure/samples.h"

namespace attnscope::figure {
namespace {

using namespace attnscope::testing;

std::string faults(const Figure& figure, float width, float height, const LetterSizes& look,
                   const Measure& measure) {
  const Placed placed = place(figure, width, height, look, measure);
  std::string out;
  for (const std::string& one : placed.overflows) out += "overflow " + one + "\n";
  if (!placed.overflows.empty()) return out;
  for (const DrawingFault& one : faults_of(draw(placed, look, measure, true), measure))
    out += one.part + ": " + one.what + ": " + one.text + "\n";
  return out;
}
bool gave_up(const Placed& placed, std::string_view what) {
  return std::find(placed.given_up.begin(), placed.given_up.end(), what) != placed.given_up.end();
}

class Rooms : public ::testing::TestWithParam<int> {};
TEST_P(Rooms, NothingIsCutFrom480x400On) {
  const Measure measure;
  const Figure figure = sample_figure(GetParam());
  for (float width = 480; width <= 1400; width += 115)
    for (float height = 400; height <= 900; height += 62)
      EXPECT_EQ(faults(figure, width, height, kWindowLetters, measure), "") << width << " x " << height;
}
TEST_P(Rooms, PartsStayApartAndInside) {
  const Measure measure;
  const Figure figure = sample_figure(GetParam());
  const Placed placed = place(figure, 900, 700, kWindowLetters, measure);
  for (std::size_t i = 0; i < placed.parts.size(); ++i) {
    const PixelRect& a = placed.parts[i].box;
    EXPECT_TRUE(a.x >= 0 && a.y >= 0 && a.right() <= 900.5f && a.bottom() <= 700.5f)
        << placed.parts[i].part->id;
    for (std::size_t j = i + 1; j < placed.parts.size(); ++j) {
      const PixelRect& b = placed.parts[j].box;
      EXPECT_TRUE(a.right() <= b.x + 0.5f || b.right() <= a.x + 0.5f || a.bottom() <= b.y + 0.5f ||
                  b.bottom() <= a.y + 0.5f)
          << placed.parts[i].part->id << " over " << placed.parts[j].part->id;
    }
  }
}
TEST_P(Rooms, TheResultKeepsItsDigitsLongest) {
  const Measure measure;
  const Figure figure = sample_figure(GetParam());
  for (float width = 400; width <= 1600; width += 60) {
    const Placed placed = place(figure, width, 640, kWindowLetters, measure);
    const bool inputs = gave_up(placed, "scores: digits") || gave_up(placed, "scores: left_out");
    EXPECT_TRUE(inputs || !gave_up(placed, "pattern: digits")) << width;
    for (const PlacedPart& part : placed.parts)
      EXPECT_TRUE(part.part->id != "row" || part.digit >= kWindowLetters.looked - 0.01f) << width;
  }
}
INSTANTIATE_TEST_SUITE_P(Lengths, Rooms, ::testing::Values(1, 5, 14, 25, 60, 300));

TEST(Place, GivesNothingUpInALargeRoom) {
  const Measure measure;
  const Figure figure = sample_figure(8);
  const Placed placed = place(figure, 2600, 1600, kWindowLetters, measure);
  EXPECT_TRUE(placed.given_up.empty());
  EXPECT_EQ(placed.parts.size(), parts_of(figure).size());
}

TEST(Place, DependsOnTheRoomAlone) {
  const Measure measure, other;
  const Figure figure = sample_figure(14);
  const Placed before = place(figure, 777, 555, kWindowLetters, measure);
  (void)place(figure, 300, 300, kWindowLetters, measure);
  const Placed again = place(figure, 777, 555, kWindowLetters, measure),
               fresh = place(figure, 777, 555, kWindowLetters, other);
  EXPECT_EQ(to_svg(draw(before, kWindowLetters, measure, true), "x"),
            to_svg(draw(again, kWindowLetters, measure, true), "x"));
  EXPECT_EQ(before.given_up, fresh.given_up);
}

TEST(Place, APixelMoreNeverJumpsWhileTheFormsStay) {
  const Measure measure;
  const Figure figure = sample_figure(14);
  Placed last = place(figure, 900, 640, kWindowLetters, measure);
  int compared = 0;
  for (float width = 901; width < 1200; ++width) {
    Placed now = place(figure, width, 640, kWindowLetters, measure);
    if (now.given_up == last.given_up && now.parts.size() == last.parts.size()) {
      for (std::size_t at = 0; at < now.parts.size(); ++at)
        EXPECT_NEAR(now.parts[at].box.x, last.parts[at].box.x, 3.1) << width << now.parts[at].part->id;
      ++compared;
    }
    last = std::move(now);
  }
  EXPECT_GT(compared, 200);
}

TEST(Place, SaysWhatDoesNotFitInTheSmallestWindow) {
  const Measure measure;
  const Figure figure = sample_figure(14);
  const Placed placed = place(figure, 100, 60, kWindowLetters, measure);
  ASSERT_FALSE(placed.overflows.empty());
  EXPECT_NE(placed.overflows.front().find(" > "), std::string::npos);
}

TEST(Place, MatricesOfAGroupHaveCellsOfOneSizeWhereTheyAreColoursAlone) {
  const Measure measure;
  std::vector<PartBox> planes;
  for (int at = 0; at < 3; ++at) {
    MatrixMark matrix;
    matrix.values = Tensor::from(std::vector<float>(20 * 20, 0.5f), {{Axis::query, 20}, {Axis::key, 20}});
    for (int i = 0; i < 20; ++i) matrix.rows.labels.emplace_back("name " + std::to_string(i));
    matrix.cols.labels = matrix.rows.labels;
    matrix.rows.shown = at == 0, matrix.cols.shown = false;  // the names take room from the first
    planes.push_back(leaf({"plane" + std::to_string(at), matrix, 1, {Text("a title")}, "planes"}));
  }
  const Figure figure{Text("planes"), row(std::move(planes))};
  const Placed placed = place(figure, 700, 300, kWindowLetters, measure);
  ASSERT_EQ(placed.parts.size(), 3u);
  for (const PlacedPart& part : placed.parts) {
    EXPECT_EQ(part.digit, 0.f) << "no room for digits here";
    EXPECT_FLOAT_EQ(part.cells.w, placed.parts[0].cells.w);
    EXPECT_FLOAT_EQ(part.cells.h, placed.parts[0].cells.h);
    EXPECT_FLOAT_EQ(part.cells.y, placed.parts[0].cells.y);
  }
}

// Names of curves stand side by side where there is room, and below each other where there is none.
TEST(Place, TheNamesOfAPlotLeaveItTheirRoom) {
  const Measure measure;
  PlotMark plot;
  for (const char* name : {"dimension 10", "dimension 22", "dimension 34", "dimension 0"})
    plot.series.push_back({name, {{0, 0}, {1, 1}}, Ink::accent, false});
  const Figure figure{"plot", column({leaf({"plot", plot, 1, {}, ""})})};
  const auto cells_from = [&](float width) {
    return place(figure, width, 400, kWindowLetters, measure).parts.front().cells.y;
  };
  const float lower = cells_from(260) - cells_from(800);
  EXPECT_TRUE(lower > kWindowLetters.small && lower < 2 * kWindowLetters.body) << "two lines, one line";
  EXPECT_EQ(cells_from(490), cells_from(800)) << "closer together before one of them has a line of its own";
  EXPECT_EQ(faults(figure, 490, 400, kWindowLetters, measure), "");
  EXPECT_EQ(faults(figure, 260, 400, kWindowLetters, measure), "");
  EXPECT_EQ(faults(figure, 800, 400, kWindowLetters, measure), "");
}

// A name that is too long for its column is smaller before a column is left out.
TEST(Place, FourteenWordsHaveACellEachInARowOf700Pixels) {
  const Measure measure;
  MatrixMark row;
  const char* const words[] = {"<bos>",   "The", "cat", "sat",   "on", "the", "mat",
                               "because", "it",  "was", "tired", ".",  "So",  "the"};
  for (int col = 0; col < 14; ++col) {
    row.order.push_back(col);
    row.cols.labels.emplace_back(words[col]);
  }
  row.values = Tensor::from(std::vector<float>(14, -1.29f), {{Axis::query, 1}, {Axis::key, 14}});
  row.scale = Scale::diverging, row.most = 8, row.digits = 2, row.others = MatrixMark::Others::bars;
  const Figure figure{Text("row"), leaf({"row", row, 3, {}, ""})};
  const Placed placed = place(figure, 720, 200, kWindowLetters, measure);
  ASSERT_EQ(placed.parts.size(), 1u);
  EXPECT_EQ(placed.parts.front().columns.size(), 14u);
  for (const DrawnShape& shape : draw(placed, kWindowLetters, measure, true).shapes)
    EXPECT_EQ(shape.text.find("\xE2\x80\xA6"), std::string::npos) << shape.text;
}

TEST(Place, ColoursTakeAHeightThatNothingElseHas) {
  const Measure measure;
  const Figure figure{Text("plane"), leaf({"plane", sample_plane(40), 3, {}, ""})};
  const auto cells = [&](float height) {
    return place(figure, 260, height, kWindowLetters, measure).parts.front().cells;
  };
  EXPECT_GT(cells(700).h, 1.3f * cells(700).w);
  EXPECT_LE(cells(700).h, 1.51f * cells(700).w) << "but stay recognisable";
}

// Nothing stands beside them.
TEST(Place, FourCellsAreAsWideAsAWindow) {
  const Measure measure;
  const MatrixMark plane = sample_plane(4);
  const Figure figure{
      "few", column({leaf({"plane", plane, 2, {}, ""}), leaf({"row", sample_row(plane), 3, {}, ""})})};
  const Placed placed = place(figure, 1232, 470, kWindowLetters, measure);
  for (const PlacedPart& part : placed.parts) EXPECT_GT(part.cells.w, 0.7f * 1232) << part.part->id;
}

TEST(Place, NamesOf200LettersAndKoreanWithoutBlanksStayInside) {
  const Measure measure;
  std::string korean;
  for (int i = 0; i < 60; ++i) korean += "\xEA\xB0\x80";
  for (const std::string& name : {std::string(200, 'w'), korean}) {
    Figure figure = sample_figure(9, name);
    figure.body.inside.push_back(words("long", WordsMark::As::sentence, {Text(name + name)}, 2));
    EXPECT_EQ(faults(figure, 1000, 720, kWindowLetters, measure), "");
  }
}

TEST(Place, MarksWithoutDataAndNumbersThatAreNone) {
  const Measure measure;
  MatrixMark odd;
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  odd.values = Tensor::from({nan, inf, -inf, 0.f}, {{Axis::query, 2}, {Axis::key, 2}});
  const Figure figure{
      "odd", column({leaf({"odd", odd, 2, {"odd"}, ""}), leaf({"table", TableMark{}, 1, {}, ""}),
                     leaf({"plot", PlotMark{}, 1, {"plot"}, ""}), words("none", WordsMark::As::note, {})})};
  const Placed placed = place(figure, 500, 500, kWindowLetters, measure);
  EXPECT_TRUE(placed.overflows.empty());
  const std::string svg = to_svg(draw(placed, kWindowLetters, measure, false), "odd");
  EXPECT_NE(svg.find(">NaN<"), std::string::npos);
  EXPECT_NE(svg.find(">\xE2\x88\x9E<"), std::string::npos);
}

TEST(Measure, LinesAreNeverWiderThanTheirRoomAndLoseNoLetter) {
  const Measure measure;
  const std::string text = "some words and averyveryverylongwordwithoutblanks 1,234,567.89 end";
  for (float room = 30; room < 400; room += 7) {
    std::string letters, all = text;
    for (const std::string& line : measure.lines(text, 15, Face::sans, room)) {
      EXPECT_LE(measure.width(line, 15, Face::sans), room + 0.01f) << line;
      letters += line;
    }
    const auto bare = [](std::string& of) { of.erase(std::remove(of.begin(), of.end(), ' '), of.end()); };
    bare(letters), bare(all);
    EXPECT_EQ(letters, all);
  }
}

TEST(Measure, ANumberAndItsPercentStandInOneLine) {
  const Measure measure;
  for (float room = 60; room < 400; room += 3)
    for (const std::string& line : measure.lines("the answer falls to 20.4 % here", 15, Face::sans, room))
      EXPECT_FALSE(line.starts_with('%')) << room;
}

TEST(Measure, AResultStandsBehindItsSign) {
  const Measure measure;
  for (float room = 90; room < 400; room += 3)
    for (const std::string& line :
         measure.lines("e^7.4 / 1682 \xE2\x89\x88 12 / 14 = 0.99", 15, Face::mono, room))
      EXPECT_FALSE(line.ends_with('=') || line.ends_with("\xE2\x89\x88")) << room << line;
}

TEST(Place, AFormulaIsShorterBeforeItTakesTwoLines) {
  const Measure measure;
  const WordsMark formula{WordsMark::As::formula,
                          {Text("a long formula of many signs = 0.99"), Text("short = 0.99")}};
  const Figure figure{Text("f"), leaf({"formula", formula, 1, {}, ""})};
  for (float room = 200; room < 600; room += 10) {
    const Drawing drawing =
        draw(place(figure, room, 300, kWindowLetters, measure), kWindowLetters, measure, true);
    EXPECT_EQ(std::count_if(drawing.shapes.begin(), drawing.shapes.end(),
                            [](const DrawnShape& one) { return !one.text.empty(); }),
              1)
        << room;
  }
}

// One of a single form keeps to its line where that fits, whatever stands beside it, and takes a second one
// where it does not.
TEST(Place, AFormulaOfOneFormStaysInItsLine) {
  const Measure measure;
  const std::string words = "0.99 x 1.20 + 0.01 x 0.40 = 1.19";
  const auto lines = [&](float room) {
    TableMark answer;
    for (const char* name : {"cat", "dog"}) {
      answer.rows.emplace_back();
      answer.rows.back().cells = {Text(name), Text("98.4 %")}, answer.rows.back().bar = 0.5;
    }
    const WordsMark formula{WordsMark::As::formula, {Text(words)}};
    const Figure figure{Text("f"),
                        row({leaf({"formula", formula, 1, {}, ""}), leaf({"answer", answer, 2, {}, ""})})};
    const Placed placed = place(figure, room, 300, kWindowLetters, measure);
    return measure.lines(words, kWindowLetters.body, Face::mono, placed.parts[0].box.w).size();
  };
  for (const float room : {560.f, 620.f, 700.f}) EXPECT_EQ(lines(room), 1u) << room;
  EXPECT_GT(lines(250), 1u);
}

// A column of words begins at the left, however short they are; numbers end at the right.
TEST(Table, WordsBeginAtTheLeftAndNumbersEndAtTheRight) {
  TableMark table;
  table.header = {Text("merges"), Text("pieces after them"), Text("score")};
  table.rows.push_back({{Text("0"), Text("t \xC2\xB7 h \xC2\xB7 e"), Text("1.5")}, {}, {}, false});
  table.rows.push_back({{Text("1"), Text("the"), Text("10.25")}, {}, {}, true});
  const Figure figure{Text("f"), leaf({"table", table, 1, {}, ""})};
  const Measure measure;
  const Drawing drawing =
      draw(place(figure, 800, 400, kWindowLetters, measure), kWindowLetters, measure, true);
  const auto of = [&](const std::string& text) -> const DrawnShape& {
    return *std::find_if(drawing.shapes.begin(), drawing.shapes.end(),
                         [&](const DrawnShape& one) { return one.text == text; });
  };
  EXPECT_FLOAT_EQ(of("t \xC2\xB7 h \xC2\xB7 e").x, of("the").x);
  EXPECT_GT(of("1.5").x, of("10.25").x);
}

// Cards beside each other end at the same height, and at the right edge of their room.
TEST(Table, ACardThatIsTallFillsItsBox) {
  const auto card = [](std::string id, std::size_t rows) {
    TableMark table = sample_table();
    table.rows.resize(rows), table.card = TableMark::Card::plain, table.tall = true;
    return leaf({std::move(id), std::move(table), 1, {}, ""});
  };
  const Figure figure{Text("f"), row({card("many", 7), card("few", 3)})};
  const Measure measure;
  const Drawing drawing =
      draw(place(figure, 1000, 420, kWindowLetters, measure), kWindowLetters, measure, true);
  std::vector<PixelRect> cards;
  for (const DrawnShape& shape : drawing.shapes)
    if (shape.colour == drawing.colours().card && shape.kind == DrawnShape::Kind::rect)
      cards.push_back(shape.rect);
  ASSERT_EQ(cards.size(), 2u);
  EXPECT_FLOAT_EQ(cards[0].bottom(), cards[1].bottom());
  EXPECT_NEAR(cards[1].right(), 1000 - kWindowLetters.pad, 1);
}

// Large and small limits of an axis as people write them.
TEST(Plot, LimitsHaveNoComputersNotation) {
  const auto texts_of = [](double from, double to) {
    PlotMark plot;
    plot.series.push_back({Text("a"), {{from, 1.0}, {to, 2.0}}, Ink::accent, false});
    const Figure figure{Text("f"), leaf({"plot", plot, 1, {}, ""})};
    const Measure measure;
    std::string out;
    for (const DrawnShape& shape :
         draw(place(figure, 800, 400, kWindowLetters, measure), kWindowLetters, measure, true).shapes)
      if (shape.kind == DrawnShape::Kind::text) out += shape.text + " ";
    return out;
  };
  EXPECT_NE(texts_of(16, 131072).find("131,072"), std::string::npos);
  EXPECT_NE(texts_of(1, 8.796e12).find("8.8·10¹²"), std::string::npos);
  EXPECT_NE(texts_of(-2.5e-5, 1).find("-2.5·10⁻⁵"), std::string::npos);
  EXPECT_NE(texts_of(0, 13).find("13"), std::string::npos);
  for (const std::string& all : {texts_of(16, 131072), texts_of(1, 8.796e12), texts_of(-2.5e-5, 1)})
    EXPECT_EQ(all.find("e+"), std::string::npos) << all;
}

// Names of few large cells are no smaller than those of a row drawn large.
TEST(Place, NamesOfFewCellsAreReadFromAfar) {
  MatrixMark few;
  few.values = Tensor::from(std::vector<float>(8, 0.5f), {{Axis::none, 2}, {Axis::none, 4}});
  for (int row = 0; row < 2; ++row) few.rows.labels.emplace_back("block " + std::to_string(row));
  for (int col = 0; col < 4; ++col) few.cols.labels.emplace_back("head " + std::to_string(col));
  const Figure figure{Text("f"), leaf({"few", few, 1, {}, ""})};
  const Measure measure;
  const Drawing drawing =
      draw(place(figure, 800, 400, kWindowLetters, measure), kWindowLetters, measure, true);
  int names = 0;
  for (const DrawnShape& shape : drawing.shapes)
    if (shape.text.starts_with("block") || shape.text.starts_with("head")) {
      EXPECT_GT(shape.em, kWindowLetters.small) << shape.text;
      ++names;
    }
  EXPECT_EQ(names, 6);
}

// Without bars the columns of a table stand further apart where there is room, up to a limit.
TEST(Place, ColumnsOfATableTakeAFreeWidth) {
  TableMark table;
  for (int row = 0; row < 3; ++row)
    table.rows.push_back({{Text("name"), Text("0.25"), Text("0.50")}, {}, {}, false});
  const Figure figure{"A table", leaf({"table", table, 1, {}, ""})};
  const Measure measure;
  const auto last_column = [&](float width) {
    float out = 0;
    for (const DrawnShape& shape :
         draw(place(figure, width, 300, kWindowLetters, measure), kWindowLetters, measure, true).shapes)
      if (shape.text == "0.50") out = shape.x;
    return out;
  };
  const float narrow = last_column(180), wide = last_column(600);
  EXPECT_GT(narrow, 0);
  EXPECT_GT(wide, narrow + 30);
  EXPECT_EQ(wide, last_column(1200));
}

}  // namespace
}  // namespace attnscope::figure
