// A motion begins where the old figure had a cell and ends where the new one has it.
#include "core/view/figure_motion.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/core/view/opened.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;
using figure::DrawnShape;

struct Drawn {
  figure::Figure figure;
  figure::Placed placed;
  figure::Drawing drawing;
};
std::unique_ptr<Drawn> drawn(const ViewState& state, const char* view, const std::string& page) {
  static const figure::Measure measure;
  auto out = std::make_unique<Drawn>();
  ViewState at = state;
  at.page = page, at.level = Level::easy;
  out->figure = *draw_view(**find_view(view), at);
  out->placed = place(out->figure, 1260, 480, figure::kWindowLetters, measure);
  out->drawing = draw(out->placed, figure::kWindowLetters, measure, true);
  return out;
}
// On the way from one figure to the next, both in the same place of the screen.
FigureMotion moving(const Drawn& from, const Drawn& to, const Trace& run) {
  FigureMotion out;
  out.leave({&from.figure, &from.drawing, 10, 20, 1}, run);
  out.enter({&to.figure, &to.drawing, 10, 20, 1}, run);
  return out;
}
const DrawnShape* cell(const Drawn& of, const std::string& part, std::int64_t row, std::int64_t col,
                       std::size_t& index) {
  for (index = 0; index < of.drawing.shapes.size(); ++index) {
    const DrawnShape& shape = of.drawing.shapes[index];
    if (shape.part == part && shape.row == row && shape.col == col) return &shape;
  }
  return nullptr;
}

TEST(FigureMotion, TheRowGrowsOutOfItsMatrixAndEndsWhereItStands) {
  const Opened of = opened("model:storyteller");
  const ViewState state = first_state(*of.model, of.run);
  const auto pattern = drawn(state, "attention", ""), softmax = drawn(state, "steps", "softmax");
  FigureMotion motion = moving(*pattern, *softmax, *of.run);
  ASSERT_TRUE(motion.moving());
  std::size_t old_index = 0, index = 0;
  const auto& rows = mark_of<figure::MatrixMark>(softmax->figure, "row");
  const DrawnShape *old = cell(*pattern, "row", 0, 3, old_index),
                   *now = cell(*softmax, "row", rows.values.size(0) - 1, 3, index);
  ASSERT_TRUE(old && now);
  EXPECT_NEAR(motion.at(index, *now).rect.x, old->rect.x, 0.5f);
  EXPECT_NEAR(motion.at(index, *now).rect.y, old->rect.y, 0.5f);
  int frames = 0;
  while (motion.step(1.f / 60) && frames < 600) ++frames;
  EXPECT_GT(frames, 20);
  EXPECT_LT(frames, 120);
  for (std::size_t at = 0; at < softmax->drawing.shapes.size(); ++at) {
    const DrawnShape shape = motion.at(at, softmax->drawing.shapes[at]);
    EXPECT_EQ(shape.alpha, 1.f);
    EXPECT_EQ(shape.rect.x, softmax->drawing.shapes[at].rect.x);
    EXPECT_EQ(shape.rect.h, softmax->drawing.shapes[at].rect.h);
  }
}

TEST(FigureMotion, AProductComesOutOfTheRowsAboveIt) {
  const Opened of = opened("model:storyteller");
  const ViewState state = first_state(*of.model, of.run);
  const auto before = drawn(state, "steps", "embed"), scores = drawn(state, "steps", "scores");
  FigureMotion motion = moving(*before, *scores, *of.run);
  std::size_t key_at = 0, product_at = 0;
  const auto placed =
      std::find_if(scores->placed.parts.begin(), scores->placed.parts.end(),
                   [](const figure::PlacedPart& part) { return part.part->id == "products"; });
  ASSERT_TRUE(placed != scores->placed.parts.end() && !placed->columns.empty());
  const int col = placed->columns.front();
  const DrawnShape *key = cell(*scores, "products", 1, col, key_at),
                   *product = cell(*scores, "products", 2, col, product_at);
  ASSERT_TRUE(key && product);
  EXPECT_EQ(motion.at(product_at, *product).alpha, 0.f);  // not there yet
  for (int i = 0; i < 18; ++i) motion.step(1.f / 60);
  const figure::PixelRect rect = motion.at(product_at, *product).rect;
  EXPECT_GE(rect.y, key->rect.y - 0.5f);
  EXPECT_LT(rect.y, product->rect.y);
}

TEST(FigureMotion, WithoutAFigureBeforeNothingMoves) {
  const Opened of = opened("model:storyteller");
  const auto scores = drawn(first_state(*of.model, of.run), "steps", "scores");
  FigureMotion motion;
  motion.enter({&scores->figure, &scores->drawing, 0, 0, 1}, *of.run);
  EXPECT_FALSE(motion.moving());
}

}  // namespace
}  // namespace attnscope
