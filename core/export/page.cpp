#include "core/export/page.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "core/base/number.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr double kPointsPerCm = 72 / 2.54;
constexpr float kLeastUnits = 100, kMostUnits = 16384;
// Where the height follows from the figure: what a printed page has for one, and times the width, where that
// is too little.
constexpr double kPrintedCm = 21.5;
constexpr float kTallest = 4;

struct Side {
  double value = 0;
  bool cm = false;
};
std::optional<Side> side_of(std::string_view text) {
  Side out;
  if (text.ends_with("cm")) out.cm = true, text.remove_suffix(2);
  const auto number = parse_real(text, 0, 1e6);
  if (!number) return std::nullopt;
  out.value = *number;
  if (!out.cm && out.value != std::floor(out.value)) return std::nullopt;
  return out;
}
bool allowed(float units) { return units >= kLeastUnits && units <= kMostUnits; }

void strip_box(figure::PartBox& box) {
  std::erase_if(box.inside, [](const figure::PartBox& inside) {
    return inside.part && (inside.part->id == "sentence" || inside.part->id == "question");
  });
  for (figure::PartBox& inside : box.inside) strip_box(inside);
  if (!box.part) return;
  if (auto* table = std::get_if<figure::TableMark>(&box.part->mark))
    table->card = figure::TableMark::Card::none;
  if (auto* matrix = std::get_if<figure::MatrixMark>(&box.part->mark)) matrix->printed = true;
}

// The lowest edge of what is drawn, but for the ground.
float bottom_of(const figure::Drawing& drawing) {
  float out = 0;
  for (std::size_t i = 1; i < drawing.shapes.size(); ++i) {
    const figure::DrawnShape& shape = drawing.shapes[i];
    if (shape.kind == figure::DrawnShape::Kind::text)
      out = std::max(out, shape.y + shape.em * figure::kDescent);
    else if (shape.kind != figure::DrawnShape::Kind::line)
      out = std::max(out, shape.rect.bottom());
    for (const auto& [x, y] : shape.points) out = std::max(out, y);
  }
  return out;
}

}  // namespace

const figure::LetterSizes kPaperLetters{.title = 9,
                                        .body = 8,
                                        .small = 7,
                                        .digit = 6,
                                        .digit_natural = 7.5f,
                                        .looked = 7,
                                        .looked_natural = 8,
                                        .gap = 6,
                                        .pad = 2,
                                        .plane = 48,
                                        .least_name = 1};

Result<PageSize> parse_page_size(const std::string& text) {
  const std::vector<std::string> parts = split(text, 'x');
  std::vector<Side> sides;
  for (const std::string& part : parts)
    if (const auto side = side_of(part)) sides.push_back(*side);
  const Error wrong = fail(Code::bad_format, "error.cli.figure_size", {in_quotes(text)});
  if (sides.size() != parts.size() || sides.size() > 2 || sides.front().cm != sides.back().cm) return wrong;
  PageSize out{0, 0, sides.front().cm};
  if (sides.size() == 1 && !out.printed) return wrong;
  const double unit = out.printed ? kPointsPerCm : 1;
  out.width = static_cast<float>(sides[0].value * unit);
  if (sides.size() == 2) out.height = static_cast<float>(sides[1].value * unit);
  if (!allowed(out.width) || (sides.size() == 2 && !allowed(out.height))) return wrong;
  return out;
}

figure::Figure for_print(figure::Figure figure) {
  strip_box(figure.body);
  return figure;
}

void trim(figure::Drawing& drawing, float pad) {
  drawing.height = std::ceil(std::min(drawing.height, bottom_of(drawing) + pad));
  drawing.shapes.front().rect.h = drawing.height;
}

namespace {

// As tall as the figure needs, at most `tallest`.
figure::Placed placed_freely(const figure::Figure& figure, float width, float tallest,
                             const figure::LetterSizes& letters, const figure::Measure& measure) {
  figure::Placed placed = place(figure, width, tallest, letters, measure);
  if (!placed.overflows.empty()) return placed;
  figure::Placed natural =
      place(figure, width, std::min(tallest, placed.natural_height + 1), letters, measure);
  return natural.overflows.empty() ? natural : placed;
}

figure::Placed placed_on(const figure::Figure& figure, const PageSize& size,
                         const figure::LetterSizes& letters, const figure::Measure& measure) {
  if (size.height > 0) return place(figure, size.width, size.height, letters, measure);
  const float tallest = std::min(kMostUnits, size.width * kTallest);
  const auto printed = static_cast<float>(kPrintedCm * kPointsPerCm);
  if (size.printed && printed < tallest)
    if (figure::Placed placed = placed_freely(figure, size.width, printed, letters, measure);
        placed.overflows.empty())
      return placed;
  return placed_freely(figure, size.width, tallest, letters, measure);
}

}  // namespace

Result<FigurePage> page_of(const figure::Figure& figure, const PageSize& size, const std::string& text,
                           const PageStyle& style) {
  const figure::Measure measure;
  const figure::LetterSizes& letters = *style.letters;
  const figure::Placed placed = placed_on(figure, size, letters, measure);
  if (!placed.overflows.empty())
    return fail(Code::out_of_range, "error.cli.figure_room", {text, join(placed.overflows, ", ")});
  FigurePage out;
  out.printed = size.printed;
  out.incomplete = placed.parts.size() < parts_of(figure).size();
  out.given_up = placed.given_up;
  out.drawing = draw(placed, letters, measure, *style.palette, true);
  seal_cells(out.drawing);
  if (size.height <= 0) trim(out.drawing, letters.pad);
  return out;
}

}  // namespace attnscope
