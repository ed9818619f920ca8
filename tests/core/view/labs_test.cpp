// A lab as a figure: in the easy level one picture, with the marks that the lab has on its axes.
#include <cmath>

#include "core/base/words.h"
#include "core/figure/drawing.h"
#include "tests/core/view/opened.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

ViewState lab_state(const std::string& name, Level level) {
  ViewState state;
  state.lab = *find_lab(name), state.values = initial_values(*state.lab), state.level = level;
  return state;
}

figure::Figure lab_figure(const ViewState& state) {
  const auto made = draw_view(**find_view("labs"), state);
  EXPECT_TRUE(made) << state.lab->id();
  return made ? *made : figure::Figure();
}

/// A lab's figure where the easy window has room for it.
struct DrawnLab {
  figure::Figure figure;
  figure::Measure measure;
  figure::Placed placed;
  figure::Drawing drawing;
  DrawnLab(const ViewState& state, bool dark)
      : figure(lab_figure(state)),
        placed(figure::place(figure, 1260, 480, figure::kWindowLetters, measure)),
        drawing(figure::draw(placed, figure::kWindowLetters, measure, dark)) {}
};

TEST(ViewLabs, TheEasyLevelLeavesOutWhatTheFullOneAdds) {
  for (const char* name : {"sqrt", "order", "tying", "memory", "sharing", "loss", "softmax"}) {
    const ViewState state = lab_state(name, Level::easy);
    const auto picture = compute(*state.lab, state.values);
    ASSERT_TRUE(picture) << name;
    const auto easy = draw_view(**find_view("labs"), state);
    const auto full = draw_view(**find_view("labs"), lab_state(name, Level::full));
    ASSERT_TRUE(easy && full) << name;
    for (std::size_t at = 0; at < picture->pieces.size(); ++at) {
      const std::string id = "piece" + std::to_string(at);
      EXPECT_EQ(figure::find_part(*easy, id) != nullptr, !picture->pieces[at].in_full) << name << " " << id;
      EXPECT_TRUE(figure::find_part(*full, id)) << name << " " << id;
    }
  }
}

// A lab has a model and a text of its own: those that are open have nothing to do with it.
TEST(ViewLabs, NoTextOfAnOpenRunStandsAboveIt) {
  const Opened of = opened("model:storyteller");
  ViewState state = lab_state("robot", Level::easy);
  state.opened = of.model.get(), state.run = of.run;
  const figure::Figure figure = lab_figure(state);
  EXPECT_TRUE(figure::find_part(figure, "question"));
  EXPECT_FALSE(figure::find_part(figure, "text"));
}

// What a neuron lowers is drawn to the left of nothing, in another colour than what it raises.
TEST(ViewLabs, NegativeBarsAreSeen) {
  const DrawnLab lab(lab_state("memory", Level::easy), true);
  const auto& table = mark_of<figure::TableMark>(lab.figure, "piece1");
  ASSERT_LT(table.rows.back().bar.value_or(0), 0);
  ASSERT_GT(table.rows.front().bar.value_or(0), 0);
  float raised = 0, lowered = 0, ends = 0, begins = 0;
  for (const figure::DrawnShape& shape : lab.drawing.shapes) {
    if (shape.part != "piece1" || shape.kind != figure::DrawnShape::Kind::rect) continue;
    if (shape.colour == lab.drawing.colours().negative && shape.rect.w > lowered)
      lowered = shape.rect.w, ends = shape.rect.right();
    if (shape.colour == lab.drawing.colours().positive && shape.rect.w > raised)
      raised = shape.rect.w, begins = shape.rect.x;
  }
  EXPECT_GT(lowered, 20);
  EXPECT_GT(raised, 20);
  EXPECT_NEAR(ends, begins, 2.5f);
}

// The only picture of a lab takes the width of the window.
TEST(ViewLabs, BarsAreAsWideAsTheWindow) {
  const DrawnLab lab(lab_state("sharing", Level::easy), true);
  float right = 0;
  for (const figure::DrawnShape& shape : lab.drawing.shapes) right = std::max(right, shape.rect.right());
  EXPECT_GT(right, 1150);
}

// The current d_k is a line across the curves: with the number the picture moves.
TEST(ViewLabs, TheCurrentValueIsALineAcrossThePlot) {
  const auto mark_at = [&](double width) {
    ViewState state = lab_state("sqrt", Level::easy);
    state.values.set("d_k", width);
    const DrawnLab lab(state, false);
    for (const figure::DrawnShape& shape : lab.drawing.shapes)
      if (shape.part == "piece1" && shape.kind == figure::DrawnShape::Kind::line &&
          shape.points.size() == 2 && shape.points[0].first == shape.points[1].first)
        return shape.points[0].first;
    return -1.f;
  };
  const float narrow = mark_at(4), wide = mark_at(256);
  EXPECT_GT(narrow, 0);
  EXPECT_GT(wide, narrow + 100);
}

// LayerNorm's vectors are dots, not a line from each to the next; a circle is round.
TEST(ViewLabs, ACloudIsDotsOnEqualAxes) {
  const DrawnLab lab(lab_state("norms", Level::easy), false);
  for (const figure::PlacedPart& part : lab.placed.parts)
    if (part.part->id == "piece0") {
      EXPECT_NEAR(part.cells.w, part.cells.h, 1.f);
    }
  int dots = 0;
  for (const figure::DrawnShape& shape : lab.drawing.shapes) {
    if (shape.part != "piece0") continue;
    dots += shape.kind == figure::DrawnShape::Kind::rect && shape.round > 0 ? 1 : 0;
    if (shape.kind == figure::DrawnShape::Kind::line) {
      EXPECT_LE(shape.points.size(), 2u);  // of the legend
    }
  }
  EXPECT_EQ(dots, 128);  // 64 before, 64 after
}

}  // namespace
}  // namespace attnscope
