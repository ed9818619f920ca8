// What words mean: the nearest word by a plain loop over the table, for every row, edited or not.
#include <algorithm>
#include <cmath>

#include "core/figure/drawing.h"
#include "core/figure/place.h"
#include "tests/core/view/opened.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

double cosine_of(const std::vector<float>& a, const std::vector<float>& b) {
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    ab += x * y, aa += x * x, bb += y * y;
  }
  return ab / std::sqrt(aa * bb);
}

TEST(ViewEmbedding, NamesTheNearestWordOfEveryRow) {
  int words = 0, none = 0;
  for_every_row([&](const ViewState& state, const std::string& where) {
    const auto figure = draw_view(**find_view("embedding"), state);
    if (!figure) {
      EXPECT_NE(state.run->config().image_token, -1) << where << ": " << figure.error().text();
      ++none;
      return;
    }
    ++words;
    const std::string prefix(stack_prefix(state.place.stack));
    const Tensor table = state.run->weights().get(prefix + "tok_embed.weight");
    const int id = state.run->ids_of(state.place.stack)[static_cast<std::size_t>(state.row)];
    const std::vector<float> own = table.select(0, id).values();
    double best = -2;
    for (std::int64_t other = 0; other < table.size(0); ++other)
      if (other != id) best = std::max(best, cosine_of(own, table.select(0, other).values()));
    const auto& near = mark_of<figure::TableMark>(*figure, "near");
    EXPECT_NEAR(*near.rows.front().bar, best, 1e-6) << where;
    const std::vector<std::string> said = sentence_of(*figure);
    EXPECT_EQ(said[0], token_label(*state.opened, id)) << where;
    EXPECT_EQ(said[1], near.rows.front().cells[0].str()) << where;
    EXPECT_EQ(said[2], figure::number_text(best, 2)) << where;
    EXPECT_EQ(mark_of<figure::MatrixMark>(*figure, "numbers").values.values(), own) << where;
  });
  EXPECT_GT(words, 100);
  EXPECT_GT(none, 0);  // the pieces of the Pilot's picture
}

TEST(ViewEmbedding, FollowsAnEditOfTheVector) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, edited(of, "tok_embed[pos=2]=@pos:3"));
  state.row = 2;
  const auto figure = draw_view(**find_view("embedding"), state);
  ASSERT_TRUE(figure);
  const std::vector<std::string> said = sentence_of(*figure);
  EXPECT_EQ(said[1], token_label(*of.model, of.run->ids[3]));
  EXPECT_EQ(said[2], "1.00");
}

// What it says is called as the answer calls it: a movement of the Pilot by its centimetres.
TEST(ViewEmbedding, WhatItSaysHasTheNameOfTheAnswer) {
  const Opened of = opened("model:pilot");
  ViewState state = first_state(*of.model, of.run);
  state.level = Level::easy, state.row = 18;  // "red"
  const auto figure = draw_view(**find_view("embedding"), state);
  ASSERT_TRUE(figure);
  const std::string answer = mark_of<figure::TableMark>(*figure, "answer").rows.front().cells[0].str();
  const figure::Part* said = figure::find_part(*figure, "said");
  ASSERT_NE(said, nullptr);
  EXPECT_EQ(said->title.front().arguments()[0].str(), answer);
  for (const auto& row : mark_of<figure::TableMark>(*figure, "said").rows)
    EXPECT_EQ(row.cells[0].str().find("act_"), std::string::npos) << row.cells[0].str();
}

// A gap filler says the word itself: one table stands beside the answer, and no hole between them.
TEST(ViewEmbedding, ATableAloneReachesTheAnswer) {
  const Opened of = opened("model:gap-filler");
  ViewState state = first_state(*of.model, of.run);
  state.level = Level::easy, state.row = 2;  // "cat"
  const auto figure = draw_view(**find_view("embedding"), state);
  ASSERT_TRUE(figure);
  ASSERT_EQ(figure::find_part(*figure, "said"), nullptr);
  const figure::Measure measure;
  const figure::Placed placed = figure::place(*figure, 1260, 480, figure::kWindowLetters, measure);
  float right = 0, answer = 0;
  for (const figure::DrawnShape& shape : figure::draw(placed, figure::kWindowLetters, measure, true).shapes)
    if (shape.part == "near" && shape.kind == figure::DrawnShape::Kind::rect)
      right = std::max(right, shape.rect.right());
  for (const figure::PlacedPart& part : placed.parts)
    if (part.part->id == "answer") answer = part.box.x;
  EXPECT_NEAR(right, answer - figure::kWindowLetters.gap, 3);
}

}  // namespace
}  // namespace attnscope
