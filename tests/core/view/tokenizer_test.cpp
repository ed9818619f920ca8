// How the word of a token was cut: its pieces are the tokens of the run.
#include "core/text/tokenizer.h"

#include "core/base/words.h"
#include "core/figure/drawing.h"
#include "tests/core/view/opened.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

TEST(ViewTokenizer, IdsAreThoseOfTheRun) {
  for_every_row([](const ViewState& state, const std::string& where) {
    const std::vector<int>& ids = state.run->ids_of(state.place.stack);
    const auto figure = draw_view(**find_view("tokenizer"), state);
    ASSERT_EQ(figure.ok(), state.row < std::ssize(ids)) << where;
    if (!figure) return;
    const auto& tokens = mark_of<figure::MatrixMark>(*figure, "tokens");
    ASSERT_EQ(tokens.values.size(1), std::ssize(ids)) << where;
    for (std::size_t row = 0; row < ids.size(); ++row)
      EXPECT_EQ(tokens.values.at(1, static_cast<std::int64_t>(row)), static_cast<float>(ids[row])) << where;
    EXPECT_EQ(tokens.cols.looked, state.row) << where;
  });
}

// WordPiece: the lookups that succeeded are the pieces, in their order, and the sentence counts them.
TEST(ViewTokenizer, AWordOfSeveralPiecesSaysHowItWasCut) {
  const Opened of = opened("model:translator");
  ViewState state = first_state(*of.model, of.run);
  int several = 0;
  for (state.row = 0; state.row < state.run->rows(state.place.stack); ++state.row) {
    const auto figure = draw_view(**find_view("tokenizer"), state);
    ASSERT_TRUE(figure);
    if (!figure::find_part(*figure, "steps")) continue;
    const int id = state.run->ids_of(state.place.stack)[static_cast<std::size_t>(state.row)];
    std::vector<std::string> found;
    for (const auto& row : mark_of<figure::TableMark>(*figure, "steps").rows)
      if (row.lit) found.push_back(row.cells[1].str());
    EXPECT_NE(std::find(found.begin(), found.end(), std::to_string(id)), found.end());
    const std::vector<std::string> said = sentence_of(*figure);
    EXPECT_EQ(said[1], std::to_string(found.size()));
    if (found.size() < 2) continue;
    ++several;
    EXPECT_EQ(sentence_key(*figure), "figure.tokenizer.several");
    EXPECT_NE(said[2].find(state.opened->tokenizer->token_display(id)), std::string::npos) << said[2];
  }
  EXPECT_GT(several, 3);
}

// Of whole words: the letters of the word, joined until it stands there.
TEST(ViewTokenizer, OfAWholeWordTheMergesOfLettersAreShown) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, of.run);
  state.row = 10;  // "tired"
  const auto figure = draw_view(**find_view("tokenizer"), state);
  ASSERT_TRUE(figure);
  const auto& rows = mark_of<figure::StairsMark>(*figure, "joined").rows;
  const auto pieces = [&](std::size_t row) {
    std::vector<std::string> out;
    for (const auto& piece : rows[row].pieces) out.push_back(piece.text.str());
    return out;
  };
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(pieces(0), (std::vector<std::string>{"t", "i", "r", "e", "d"}));
  EXPECT_EQ(pieces(4), std::vector<std::string>{"tired"});
  for (std::size_t row = 0; row < rows.size(); ++row) {
    int letters = 0, lit = 0;
    std::string word;
    for (const auto& piece : rows[row].pieces) {
      letters += piece.letters, lit += piece.lit ? 1 : 0, word += piece.text.str();
      if (piece.lit) {
        std::string name = rows[row].name.str();  // "t + i"
        while (name.find(" + ") != std::string::npos) name.erase(name.find(" + "), 3);
        EXPECT_EQ(name, piece.text.str());
      }
    }
    EXPECT_EQ(letters, 5) << row;
    EXPECT_EQ(lit, row == 0 ? 0 : 1) << row;
    EXPECT_EQ(word, "tired") << row;
  }
}

// The stairs take the width that the picture has, and a piece stands below those that it was made of.
TEST(ViewTokenizer, TheStairsUseTheRoom) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, of.run);
  state.row = 10, state.level = Level::easy;
  const auto figure = draw_view(**find_view("tokenizer"), state);
  ASSERT_TRUE(figure);
  const figure::Measure measure;
  const figure::Placed placed = figure::place(*figure, 1260, 480, figure::kWindowLetters, measure);
  const figure::Drawing drawing = figure::draw(placed, figure::kWindowLetters, measure, false);
  float left = 1e9f, right = 0, widest = 0;
  for (const figure::DrawnShape& shape : drawing.shapes)
    if (shape.part == "joined" && shape.kind == figure::DrawnShape::Kind::rect)
      left = std::min(left, shape.rect.x), right = std::max(right, shape.rect.right()),
      widest = std::max(widest, shape.rect.w);
  EXPECT_GT(right - left, 340.f);
  EXPECT_NEAR(widest, right - left, 1.f) << "the whole word is as wide as its letters";
}

// Where no step is to be shown: the part of the vocabulary around the token, in the order of numbers.
TEST(ViewTokenizer, ElseTheVocabularyAroundTheNumber) {
  const Opened of = opened("model:gap-filler");
  ViewState state = first_state(*of.model, of.run);
  const int last = state.run->config().vocab_size - 1;
  for (state.row = 0; state.row < state.run->length; ++state.row) {
    const auto figure = draw_view(**find_view("tokenizer"), state);
    ASSERT_TRUE(figure);
    if (!figure::find_part(*figure, "vocabulary")) continue;
    const auto& part = mark_of<figure::MatrixMark>(*figure, "vocabulary");
    ASSERT_EQ(part.values.size(1), 9);
    const int id = state.run->ids[static_cast<std::size_t>(state.row)];
    EXPECT_EQ(part.values.at(0, part.cols.looked), static_cast<float>(id));
    for (std::int64_t col = 0; col < 9; ++col) {
      const int one = static_cast<int>(part.values.at(0, col));
      EXPECT_EQ(one, static_cast<int>(part.values.at(0, 0)) + col);
      EXPECT_LE(one, last);
      EXPECT_EQ(part.cols.labels[static_cast<std::size_t>(col)].str(), token_label(*of.model, one));
    }
  }
  state.row = 7;  // "because"
  const auto figure = draw_view(**find_view("tokenizer"), state);
  ASSERT_TRUE(figure);
  EXPECT_NE(figure::find_part(*figure, "vocabulary"), nullptr);
}

}  // namespace
}  // namespace attnscope
