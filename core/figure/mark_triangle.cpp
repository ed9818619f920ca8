// Shares of three things as a point of a triangle: a corner is all for one of them, the middle an even share.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/figure/marks.h"

namespace attnscope::figure {
namespace {

constexpr std::array<Give, 2> kTriangleGives{Give::shorter_words, Give::left_out};
constexpr float kTriangleHigh = 0.866f;             // of its side
constexpr SizeNeed kTriangleSide{24, 300, 520};     // pixels
constexpr float kOfWidth = 0.8f;                    // the side, where the box is narrow
constexpr float kLongCorner = 0.55f, kDot = 0.55f;  // of the side: a name; em: the dot's radius
constexpr int kShareDigits = 2;

const TriangleMark& triangle_in(const Part& part) { return std::get<TriangleMark>(part.mark); }
// Above the upper corner, and again below the lower two: a name and its share.
float corner_height(const LetterSizes& look) { return 2 * look.body * kLine + 4; }

SizeNeed triangle_width(const Part& part, const Form& form, const MarkContext& context) {
  const float title = context.measure.width(title_of(part, form), context.look.body, Face::bold) + 1;
  float more = context.look.body * 4;
  for (const Text& name : triangle_in(part).corners)
    more = std::max(more, context.measure.width(name.str(), context.look.body, Face::mono));
  return {std::max(title, kTriangleSide.least + more), std::max(title, kTriangleSide.natural + more),
          std::max(title, kTriangleSide.most + more)};
}
SizeNeed triangle_height(const Part& part, const Form& form, float width, const MarkContext& context) {
  const float more = title_height(part, form, context.look) + 2 * corner_height(context.look);
  const auto high = [&](float side) { return std::min(side, width * kOfWidth) * kTriangleHigh + more; };
  return {high(kTriangleSide.least), high(kTriangleSide.natural), high(kTriangleSide.most)};
}
void settle_triangle(PlacedPart& placed, const MarkContext& context) {
  const float top = title_height(*placed.part, placed.form, context.look) + corner_height(context.look);
  const float high = placed.box.h - top - corner_height(context.look);
  const float side = std::min({placed.box.w * kOfWidth, high / kTriangleHigh, kTriangleSide.most});
  placed.cells = {placed.box.x + (std::min(placed.box.w, kTriangleSide.most * 1.3f) - side) / 2,
                  placed.box.y + top, side, side * kTriangleHigh};
}

// The first corner is above, the others left and right below.
std::pair<float, float> place_in(const PixelRect& box, const std::array<double, 3>& shares) {
  const auto a = static_cast<float>(shares[0]), c = static_cast<float>(shares[2]);
  return {box.x + box.w * (c + a / 2), box.bottom() - box.h * a};
}
void draw_grid(const PixelRect& box, Drawing& out) {
  for (std::size_t own = 0; own < 3; ++own)
    for (const double share : {0.25, 0.5, 0.75}) {
      std::array<double, 3> a{}, b{};
      a[own] = b[own] = share, a[(own + 1) % 3] = b[(own + 2) % 3] = 1 - share;
      out.line({place_in(box, a), place_in(box, b)}, out.colours().panel);
    }
  out.line({place_in(box, {1, 0, 0}), place_in(box, {0, 1, 0}), place_in(box, {0, 0, 1}),
            place_in(box, {1, 0, 0})},
           out.colours().ink(Ink::dim));
}

void draw_triangle(const PlacedPart& placed, Drawing& out, const MarkContext& context) {
  const TriangleMark& mark = triangle_in(*placed.part);
  const PixelRect& box = placed.cells;
  const float em = context.look.body, line = em * kLine;
  draw_title(placed, out, context.look);
  draw_grid(box, out);
  std::vector<std::pair<float, float>> way;
  for (const std::array<double, 3>& shares : mark.way) way.push_back(place_in(box, shares));
  if (way.size() > 1) out.line(std::move(way), out.colours().ink(Ink::query), true);
  const auto [x, y] = place_in(box, mark.shares);
  const float dot = em * kDot;
  out.rect({x - dot, y - dot, 2 * dot, 2 * dot}, out.colours().ink(Ink::accent));
  out.shapes.back().round = dot;
  for (std::size_t at = 0; at < 3; ++at) {
    std::array<double, 3> corner{};
    corner[at] = 1;
    const auto [middle, edge] = place_in(box, corner);
    const float top = at == 0 ? edge - corner_height(context.look) : edge + 4;
    // The lower two share the width: the one left of the middle, the other right of it.
    const float half = box.x + box.w / 2, gap = em * 0.4f, from = at == 2 ? half + gap : placed.box.x,
                to = at == 1 ? half - gap : placed.box.right();
    const std::string name = context.measure.fitted(
        mark.corners[at].str(), em, Face::mono, std::min(to - from, std::max(box.w * kLongCorner, em * 5)));
    const std::string share = number_text(mark.shares[at], kShareDigits);
    float below = top + em * kAscent;
    for (const auto& [text, ink] : {std::pair(name, Ink::key), std::pair(share, Ink::text)}) {
      const float wide = context.measure.width(text, em, Face::mono);
      const float left = std::clamp(middle - wide / 2, from, std::max(from, to - wide));
      out.text(text, left, below, em, Face::mono, out.colours().ink(ink), placed.box);
      below += line;
    }
  }
}

}  // namespace

const MarkRules kTriangleRules{kTriangleGives, triangle_width, triangle_height, settle_triangle,
                               draw_triangle};

}  // namespace attnscope::figure
