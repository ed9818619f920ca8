// Who may look: the counts of the sentence are those of the run's own terms, for every row, edited or not.
#include <algorithm>

#include "core/base/words.h"
#include "core/figure/drawing.h"
#include "core/lens/attention_row.h"
#include "tests/core/view/opened.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

void expect_mask(const ViewState& state, const std::string& where) {
  const auto figure = draw_view(**find_view("mask"), state);
  ASSERT_TRUE(figure) << where;
  const std::vector<std::string> said = sentence_of(*figure);
  const auto row = attention_row(*state.run, state.place.pattern(state.layer), state.head, state.row);
  ASSERT_TRUE(row) << where;
  std::int64_t open = 0, before = 0, keys = std::ssize(row->terms);
  const auto& mask = mark_of<figure::MatrixMark>(*figure, "allowed");
  for (std::int64_t key = 0; key < keys; ++key) {
    const bool allowed = row->terms[static_cast<std::size_t>(key)].allowed;
    EXPECT_EQ(mask.values.at(state.row, key) > 0, allowed) << where << " key " << key;
    open += allowed, before += !allowed && key < state.row;
  }
  EXPECT_EQ(said[1], std::to_string(open)) << where;
  EXPECT_EQ(said[2], std::to_string(keys)) << where;
  EXPECT_EQ(said[3], std::to_string(before)) << where;
  EXPECT_EQ(said[4], std::to_string(keys - open - before)) << where;
  const std::string key = sentence_key(*figure);
  if (key == "figure.mask.future") {
    EXPECT_EQ(open, state.row + 1) << where;
  }
  if (key == "figure.mask.all" || key == "figure.mask.last" || key == "figure.mask.everybody") {
    EXPECT_EQ(open, keys) << where;
  }
}

TEST(ViewMask, CountsTheOpenKeysOfEveryRow) { for_every_row(expect_mask); }

TEST(ViewMask, SaysWhyKeysAreHidden) {
  const auto key_at = [](const Opened& of, std::shared_ptr<const Trace> run, std::int64_t row) {
    ViewState state = first_state(*of.model, std::move(run));
    state.row = row;
    expect_mask(state, "row " + std::to_string(row));
    return sentence_key(*draw_view(**find_view("mask"), state));
  };
  const Opened causal = opened("model:storyteller");
  EXPECT_EQ(key_at(causal, causal.run, 3), "figure.mask.future");
  EXPECT_EQ(key_at(causal, causal.run, causal.run->length - 1), "figure.mask.last");
  const Opened both_ways = opened("model:gap-filler");
  EXPECT_EQ(key_at(both_ways, both_ways.run, 3), "figure.mask.everybody");
  Document document = new_document(causal.model);
  set_mask_cell(document, 3, 1, false);  // not by the model's own rule
  const auto runs = run_all(document, {}, {});
  ASSERT_TRUE(runs);
  EXPECT_EQ(key_at(causal, runs->front(), 3), "figure.mask.around");
  EXPECT_EQ(key_at(causal, runs->front(), 4), "figure.mask.future");
  set_mask_cell(document, 3, 3, false);  // nor does it see itself
  const auto blind = run_all(document, {}, {});
  ASSERT_TRUE(blind);
  EXPECT_EQ(key_at(causal, blind->front(), 3), "figure.mask.hidden");
}

TEST(ViewMask, ACellOfTheMaskIsOneOfTheMaskStep) {
  const Opened of = opened("model:storyteller");
  const ViewState state = first_state(*of.model, of.run);
  const auto figure = draw_view(**find_view("mask"), state);
  ASSERT_TRUE(figure);
  const auto cell = cell_of(*of.run, mark_of<figure::MatrixMark>(*figure, "allowed"), 3, 1);
  ASSERT_TRUE(cell);
  EXPECT_EQ(to_text(*cell), "blocks.0.attn.mask[query=3,key=1]");
}

TEST(ViewMask, ScoresAndMaskMakeTheMaskedScores) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, of.run);
  state.level = Level::easy;
  const auto figure = draw_view(**find_view("mask"), state);
  ASSERT_TRUE(figure);
  const auto &scores = mark_of<figure::MatrixMark>(*figure, "scores"),
             &masked = mark_of<figure::MatrixMark>(*figure, "masked"),
             &mask = mark_of<figure::MatrixMark>(*figure, "allowed");
  for (std::int64_t query = 0; query < scores.values.size(0); ++query)
    for (std::int64_t key = 0; key < scores.values.size(0); ++key)
      EXPECT_EQ(masked.values.at(query, key), mask.values.at(query, key) > 0
                                                  ? scores.values.at(query, key)
                                                  : -std::numeric_limits<float>::infinity());
}

constexpr std::int64_t kSide = 5;  // rows and columns of a piece

// Beside each other there is room for the digits of five rows and columns, the one that is looked at among
// them; a click on a cell goes to the same cell of the run as in the whole matrix.
TEST(ViewMask, InTheEasyLevelAPieceHasDigitsAndNames) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, of.run);
  state.layer = 1, state.head = 3;
  for (const std::int64_t row : {0, 4, 13}) {
    state.row = row;
    state.level = Level::full;
    const auto whole = draw_view(**find_view("mask"), state);
    state.level = Level::easy;
    const auto easy = draw_view(**find_view("mask"), state);
    ASSERT_TRUE(whole && easy);
    for (const char* id : {"scores", "allowed", "masked", "pattern"}) {
      const auto& all = mark_of<figure::MatrixMark>(*whole, id);
      const auto& piece = mark_of<figure::MatrixMark>(*easy, id);
      ASSERT_EQ(piece.values.size(0), kSide) << id;
      ASSERT_EQ(piece.rows.looked + piece.first_row, row) << id;
      EXPECT_TRUE(piece.cols.shown) << id;
      for (std::int64_t at = 0; at < kSide * kSide; ++at) {
        const std::int64_t down = at / kSide, across = at % kSide, query = down + piece.first_row,
                           key = piece.step_col(across);
        EXPECT_EQ(piece.values.at(down, across), all.values.at(query, key)) << id;
        EXPECT_EQ(piece.rows.labels[static_cast<std::size_t>(down)].str(),
                  all.rows.labels[static_cast<std::size_t>(query)].str());
        const auto cell = cell_of(*of.run, piece, down, across), same = cell_of(*of.run, all, query, key);
        ASSERT_TRUE(cell && same) << id;
        EXPECT_EQ(to_text(*cell), to_text(*same)) << id;
      }
    }
    const figure::Placed placed = figure::place(*easy, 1260, 440, figure::kWindowLetters, figure::Measure());
    float wide = 0;
    for (const figure::PlacedPart& part : placed.parts) {
      if (!std::holds_alternative<figure::MatrixMark>(part.part->mark)) continue;
      EXPECT_GE(part.digit, 11.f) << part.part->id << " row " << row;
      EXPECT_FALSE(part.form.has(figure::Give::short_numbers)) << part.part->id;
      if (part.part->id == "row") continue;
      if (wide > 0) {
        EXPECT_NEAR(part.cells.w, wide, wide * 0.2f) << part.part->id;
      }
      wide = part.cells.w;
    }
  }
}

// On a projector, too, whose smallest window has letters of 16 and more: of every model, with one plane less
// where long names and scores of several digits take the room.
TEST(ViewMask, PresentedThePiecesHaveDigits) {
  struct At {
    const char* model;
    int layer;
    std::int64_t head, row;
  };
  for (const At& at : {At{"storyteller", 1, 3, 4}, At{"gap-filler", 2, 2, 14}, At{"pilot", 1, 3, 19},
                       At{"translator", 1, 3, 2}, At{"sorter", 1, 2, 10}}) {
    const Opened of = opened(std::string("model:") + at.model);
    ViewState state = first_state(*of.model, of.run);
    if (of.run->config().encoder()) state.place = {of.run->config().stack, Part::attn};
    state.layer = at.layer, state.head = at.head, state.row = at.row, state.level = Level::easy;
    for (const std::string& language : languages()) {
      ASSERT_TRUE(set_language(language));
      const auto figure = draw_view(**find_view("mask"), state);
      ASSERT_TRUE(figure);
      const figure::Placed placed =
          figure::place(*figure, 1280, 720, figure::kPresenterLetters, figure::Measure());
      EXPECT_TRUE(placed.overflows.empty()) << at.model;
      for (const char* id : {"scores", "allowed", "pattern"}) {
        const auto part = std::find_if(placed.parts.begin(), placed.parts.end(),
                                       [&](const figure::PlacedPart& one) { return one.part->id == id; });
        ASSERT_NE(part, placed.parts.end()) << id << " " << at.model;
        EXPECT_GE(part->digit, 15.9f) << id << " " << at.model << " " << language;
        EXPECT_LE(part->digit, 2 * 16.f) << id << " " << at.model << " " << language;
      }
    }
  }
  ASSERT_TRUE(set_language("en"));
}

// Digits of the piece and of the row below it stand apart from the edges of their cells.
TEST(ViewMask, DigitsDoNotTouchTheEdgesOfTheirCells) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, of.run);
  state.layer = 1, state.head = 3, state.row = 4, state.level = Level::easy;
  const auto figure = draw_view(**find_view("mask"), state);
  ASSERT_TRUE(figure);
  const figure::Measure measure;
  const figure::Placed placed = figure::place(*figure, 1260, 440, figure::kWindowLetters, measure);
  for (const char* id : {"scores", "pattern", "row"}) {
    const auto part = std::find_if(placed.parts.begin(), placed.parts.end(),
                                   [&](const figure::PlacedPart& one) { return one.part->id == id; });
    ASSERT_NE(part, placed.parts.end()) << id;
    const bool row = std::string_view(id) == "row";
    const float columns = row ? static_cast<float>(part->columns.size()) : static_cast<float>(kSide);
    const float number = measure.width(row ? "-0.00" : "-0.0", part->digit, figure::Face::mono);
    EXPECT_GE(part->cells.w / columns - number, 0.5f * part->digit) << id;
  }
}

// Where a mask hides nothing, the columns are those around the key that the row looks at most.
TEST(ViewMask, APieceOfAnOpenMaskShowsTheStrongestKey) {
  const Opened of = opened("model:gap-filler");
  ViewState state = first_state(*of.model, of.run);
  state.level = Level::easy, state.layer = 2, state.head = 2, state.row = 14;  // [MASK], which looks at "cat"
  const auto figure = draw_view(**find_view("mask"), state);
  ASSERT_TRUE(figure);
  const auto& pattern = mark_of<figure::MatrixMark>(*figure, "pattern");
  const int key = strongest_cell(*of.run, state.place.pattern(2), 2, 14);
  ASSERT_GE(key, 0);
  ASSERT_GE(pattern.cols.kept, 0) << "outside of the piece";
  EXPECT_EQ(pattern.step_col(pattern.cols.kept), key);
  EXPECT_EQ(pattern.first_row + pattern.rows.looked, 14);
  const auto cell = cell_of(*of.run, pattern, pattern.rows.looked, pattern.cols.kept);
  ASSERT_TRUE(cell);
  EXPECT_EQ(to_text(*cell), "blocks.2.attn.pattern[head=2,query=14,key=" + std::to_string(key) + "]");
  EXPECT_EQ(pattern.cols.labels[static_cast<std::size_t>(pattern.cols.kept)].str(), "cat");
}

// The key that the looked-at row looks at most is one of the columns, wherever it stands, and the diagonal is
// seen beside it; a line stands where columns are left out.
TEST(ViewMask, APieceShowsTheStrongestKeyOfItsRow) {
  struct At {
    const char* model;
    int layer;
    std::int64_t head, row;
  };
  int apart = 0;
  for (const At& at : {At{"storyteller", 1, 3, 4}, At{"storyteller", 1, 3, 13}, At{"pilot", 1, 3, 19}}) {
    const Opened of = opened(std::string("model:") + at.model);
    ViewState state = first_state(*of.model, of.run);
    state.layer = at.layer, state.head = at.head, state.row = at.row, state.level = Level::easy;
    const auto figure = draw_view(**find_view("mask"), state);
    ASSERT_TRUE(figure);
    const auto& pattern = mark_of<figure::MatrixMark>(*figure, "pattern");
    const int key = strongest_cell(*of.run, state.place.pattern(at.layer), at.head, at.row);
    ASSERT_GE(pattern.cols.kept, 0) << at.model << " " << at.row << ": outside of the piece";
    EXPECT_EQ(pattern.step_col(pattern.cols.kept), key);
    bool itself = false;
    for (std::int64_t col = 0; col < kSide; ++col) itself = itself || pattern.step_col(col) == at.row;
    EXPECT_TRUE(itself) << at.model << " " << at.row;
    if (pattern.step_col(1) == pattern.step_col(0) + 1) continue;
    ++apart;
    const figure::Measure measure;
    const figure::Placed placed = figure::place(*figure, 1260, 440, figure::kWindowLetters, measure);
    const figure::Drawing drawing = figure::draw(placed, figure::kWindowLetters, measure, false);
    const auto lines = std::count_if(drawing.shapes.begin(), drawing.shapes.end(), [](const auto& shape) {
      return shape.part == "pattern" && shape.kind == figure::DrawnShape::Kind::rect && shape.rect.w == 2;
    });
    EXPECT_EQ(lines, 1) << at.model;
  }
  EXPECT_GT(apart, 0);
}

// Where that key stands near by, the piece begins there: its columns are neighbours, as in the text.
TEST(ViewMask, APieceWithoutGapsWhereTheStrongestKeyIsNear) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, of.run);
  state.layer = 1, state.head = 3, state.row = 4, state.level = Level::easy;  // "on", which looks at "The"
  const auto figure = draw_view(**find_view("mask"), state);
  ASSERT_TRUE(figure);
  const auto& pattern = mark_of<figure::MatrixMark>(*figure, "pattern");
  EXPECT_EQ(in_words(pattern.cols.labels), (std::vector<std::string>{"The", "cat", "sat", "on", "the"}));
  EXPECT_EQ(in_words(pattern.rows.labels), in_words(pattern.cols.labels));
}

// Names of the piece are as large as digits: long ones, as the Pilot's are, too.
TEST(ViewMask, NamesOfAPieceAreReadable) {
  const Opened of = opened("model:pilot");
  ViewState state = first_state(*of.model, of.run);
  state.layer = 1, state.head = 3, state.row = 19, state.level = Level::easy;
  const auto figure = draw_view(**find_view("mask"), state);
  ASSERT_TRUE(figure);
  const figure::Measure measure;
  const figure::Placed placed = figure::place(*figure, 1260, 400, figure::kWindowLetters, measure);
  const figure::Drawing drawing = figure::draw(placed, figure::kWindowLetters, measure, false);
  int names = 0;
  for (const figure::DrawnShape& shape : drawing.shapes)
    if (shape.kind == figure::DrawnShape::Kind::text && shape.part == "pattern" && !shape.digit) {
      EXPECT_GE(shape.em, 11.f) << shape.text;
      ++names;
    }
  EXPECT_GE(names, 5);
}

TEST(ViewMask, APieceOutlinesTheCellsThatAnEditTouched) {
  const Opened of = opened("model:storyteller");
  Document document = new_document(of.model);
  set_mask_cell(document, 4, 2, false);
  const auto runs = run_all(document, {}, {});
  ASSERT_TRUE(runs);
  ViewState state = first_state(*of.model, runs->front());
  state.row = 4, state.level = Level::easy;
  const auto figure = draw_view(**find_view("mask"), state);
  ASSERT_TRUE(figure);
  const auto& mask = mark_of<figure::MatrixMark>(*figure, "allowed");
  ASSERT_EQ(mask.edited.size(), 1u);
  EXPECT_EQ(mask.edited[0].row + mask.first_row, 4);
  EXPECT_EQ(mask.step_col(mask.edited[0].col), 2);
}

}  // namespace
}  // namespace attnscope
