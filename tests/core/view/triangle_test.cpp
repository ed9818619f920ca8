// The triangle of a row of attention: three shares that sum to 1, whose dot lies inside of it.
#include <algorithm>

#include "core/lens/attention_row.h"
#include "tests/core/view/opened.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

TEST(ViewTriangle, ItsSharesAreThoseOfTheThreeStrongestKeys) {
  const ViewSpec& view = **find_view("attention");
  for_every_row([&](ViewState state, const std::string& where) {
    state.level = Level::easy, state.page = view.aside;
    const auto figure = draw_view(view, state, false);
    const auto row = attention_row(*state.run, state.place.pattern(state.layer), state.head, state.row);
    ASSERT_EQ(static_cast<bool>(figure), static_cast<bool>(row)) << where;
    if (!figure) return;
    std::vector<double> weights;
    for (const AttentionTerm& term : row->terms)
      if (term.allowed || term.weight > 0) weights.push_back(term.weight);
    const figure::Part* part = figure::find_part(*figure, "triangle");
    ASSERT_EQ(part != nullptr, weights.size() >= 3) << where;
    if (!part) {
      EXPECT_EQ(sentence_key(*figure), "figure.attention.triangle.few") << where;
      return;
    }
    std::sort(weights.rbegin(), weights.rend());
    const double sum = weights[0] + weights[1] + weights[2];
    const auto& mark = std::get<figure::TriangleMark>(part->mark);
    for (std::size_t at = 0; at < 3; ++at) EXPECT_NEAR(mark.shares[at], weights[at] / sum, 1e-3) << where;
    for (const std::array<double, 3>& shares : mark.way)
      EXPECT_NEAR(shares[0] + shares[1] + shares[2], 1, 1e-9) << where;
    EXPECT_EQ(sentence_of(*figure)[4], figure::number_text(sum, 2)) << where;
  });
}

TEST(ViewTriangle, IsAPageThatNoStationLeadsTo) {
  const Opened of = opened("model:storyteller");
  const ViewState state = first_state(*of.model, of.run);
  const ViewSpec& view = **find_view("attention");
  EXPECT_EQ(known_page(view, state, "triangle"), "triangle");
  EXPECT_EQ(known_page(**find_view("mask"), state, "triangle"), "");
  EXPECT_TRUE(pages_of(view, state).empty());
}

TEST(ViewTriangle, TheDotLiesBetweenItsCorners) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, of.run);
  state.level = Level::easy, state.page = "triangle", state.layer = 1, state.head = 3, state.row = 7;
  const auto figure = draw_view(**find_view("attention"), state, false);
  ASSERT_TRUE(figure);
  const figure::Measure measure;
  for (const auto& [width, height] : {std::pair(900.f, 470.f), {1260.f, 470.f}, {1800.f, 900.f}}) {
    const figure::Placed placed = figure::place(*figure, width, height, figure::kWindowLetters, measure);
    EXPECT_TRUE(placed.overflows.empty()) << width;
    const figure::Drawing drawing = figure::draw(placed, figure::kWindowLetters, measure, true);
    EXPECT_TRUE(figure::faults_of(drawing, measure).empty()) << width;
    int dots = 0;
    for (const figure::DrawnShape& shape : drawing.shapes)
      if (shape.part == "triangle" && shape.kind == figure::DrawnShape::Kind::rect) ++dots;
    EXPECT_EQ(dots, 1);
  }
}

}  // namespace
}  // namespace attnscope
