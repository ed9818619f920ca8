// A word that is joined from its letters, a row for each step.
#include <algorithm>
#include <array>

#include "core/figure/marks.h"

namespace attnscope::figure {
namespace {

constexpr std::array<Give, 3> kStairsGives{Give::shorter_words, Give::names, Give::left_out};
constexpr SizeNeed kLetterWidth{1.1f, 2.6f, 11.f}, kStairHeight{1.35f, 2.f, 3.2f};  // em
constexpr float kStairLetters = 0.62f;  // of the height of a row: its letters
constexpr float kStairRound = 4, kStairGap = 3, kStairNames = 14, kStairPad = 0.3f;

const StairsMark& stairs_in(const Part& part) { return std::get<StairsMark>(part.mark); }
int letters_in(const StairsMark& stairs) {
  int out = 1;
  for (const StairsMark::Row& row : stairs.rows) {
    int letters = 0;
    for (const StairsMark::Piece& piece : row.pieces) letters += piece.letters;
    out = std::max(out, letters);
  }
  return out;
}
float step_names(const StairsMark& stairs, const Form& form, const MarkContext& context) {
  if (form.has(Give::names)) return 0;
  float out = 0;
  for (const StairsMark::Row& row : stairs.rows)
    out = std::max(out, context.measure.width(row.name.str(), context.look.body, Face::sans));
  return out > 0 ? out + kStairNames : 0;
}

SizeNeed stairs_width(const Part& part, const Form& form, const MarkContext& context) {
  const StairsMark& stairs = stairs_in(part);
  const float letters = static_cast<float>(letters_in(stairs)) * context.look.body,
              names = step_names(stairs, form, context);
  const float title = context.measure.width(title_of(part, form), context.look.body, Face::bold) + 1;
  return {std::max(title, names + letters * kLetterWidth.least),
          std::max(title, names + letters * kLetterWidth.natural),
          std::max(title, names + letters * kLetterWidth.most)};
}
SizeNeed stairs_height(const Part& part, const Form& form, float, const MarkContext& context) {
  const float rows = static_cast<float>(stairs_in(part).rows.size()) * context.look.body,
              title = title_height(part, form, context.look);
  return {title + rows * kStairHeight.least, title + rows * kStairHeight.natural,
          title + rows * kStairHeight.most};
}
void settle_stairs(PlacedPart& placed, const MarkContext& context) {
  const StairsMark& stairs = stairs_in(*placed.part);
  const float top = title_height(*placed.part, placed.form, context.look),
              names = step_names(stairs, placed.form, context),
              letters = static_cast<float>(letters_in(stairs)) * context.look.body;
  placed.cells = {placed.box.x + names, placed.box.y + top, placed.box.w - names, placed.box.h - top};
  placed.cells.w = std::min(placed.cells.w, letters * kLetterWidth.most);
  placed.cells.h = std::min(placed.cells.h,
                            static_cast<float>(stairs.rows.size()) * context.look.body * kStairHeight.most);
}

void draw_stairs(const PlacedPart& placed, Drawing& out, const MarkContext& context) {
  const StairsMark& stairs = stairs_in(*placed.part);
  const float em = context.look.body;
  draw_title(placed, out, context.look);
  const float wide = placed.cells.w / static_cast<float>(letters_in(stairs)),
              tall = placed.cells.h / static_cast<float>(std::max<std::size_t>(1, stairs.rows.size()));
  float y = placed.cells.y;
  for (const StairsMark::Row& row : stairs.rows) {
    const float middle = y + tall / 2;
    if (!placed.form.has(Give::names))
      out.text(row.name.str(), placed.box.x, middle + em * 0.36f, em, Face::sans, out.colours().ink(Ink::dim),
               {placed.box.x, y, placed.cells.x - placed.box.x, tall});
    float x = placed.cells.x;
    for (const StairsMark::Piece& piece : row.pieces) {
      const PixelRect cell{x, y, wide * static_cast<float>(piece.letters) - kStairGap, tall - kStairGap};
      const Rgb ground = piece.lit ? out.colours().ink(Ink::accent) : out.colours().panel;
      out.rect(cell, ground);
      out.shapes.back().round = kStairRound;
      const std::string text = piece.text.str();
      const float length = context.measure.width(text, 1, Face::mono);
      const float letters = std::min(
          {context.look.lead, tall * kStairLetters, (cell.w - 2 * kStairPad * em) / std::max(0.1f, length)});
      out.text(text, x + (cell.w - length * letters) / 2, y + (cell.h + letters * 0.72f) / 2, letters,
               Face::mono, readable_on(ground), cell);
      x += wide * static_cast<float>(piece.letters);
    }
    y += tall;
  }
}

}  // namespace

const MarkRules kStairsRules{kStairsGives, stairs_width, stairs_height, settle_stairs, draw_stairs};

}  // namespace attnscope::figure
