#include "core/figure/touches.h"

#include <algorithm>
#include <cmath>

namespace attnscope::figure {
namespace {

bool edited_at(const MatrixMark::Block& block, std::int64_t col) {
  return col >= block.col && col < block.col + block.cols;
}

}  // namespace

void outline_edit(PixelRect rect, Drawing& out) {
  out.rect(rect, out.colours().ink(Ink::warning), DrawnShape::Kind::frame);
}
void draw_left_out(const PlacedPart& placed, Drawing& out) {
  const auto& matrix = std::get<MatrixMark>(placed.part->mark);
  const auto columns = static_cast<std::int64_t>(matrix.picked_cols.size());
  const float wide = placed.cells.w / static_cast<float>(std::max<std::int64_t>(1, matrix.values.size(1)));
  for (std::int64_t col = 1; col < columns; ++col)
    if (matrix.step_col(col) != matrix.step_col(col - 1) + 1)
      out.rect(
          {placed.cells.x + wide * static_cast<float>(col) - 1.5f, placed.cells.y - 3, 2, placed.cells.h + 6},
          out.colours().ink(Ink::text));
}
void outline_large(const PlacedPart& placed, float wide, float tall, Drawing& out) {
  for (const MatrixMark::Block& block : std::get<MatrixMark>(placed.part->mark).edited) {
    for (std::size_t at = 0; at < placed.columns.size(); ++at) {
      std::size_t end = at;
      while (end < placed.columns.size() && edited_at(block, placed.columns[end])) ++end;
      if (end == at) continue;
      outline_edit({placed.cells.x + wide * static_cast<float>(at),
                    placed.cells.y + tall * static_cast<float>(block.row),
                    wide * static_cast<float>(end - at), tall * static_cast<float>(block.rows)},
                   out);
      at = end;
    }
  }
}

void strike_name(const Names& names, std::int64_t at, Drawing& out, const MarkContext& context) {
  if (std::find(names.struck.begin(), names.struck.end(), static_cast<int>(at)) == names.struck.end()) return;
  const DrawnShape text = out.shapes.back();
  const float length = context.measure.width(text.text, text.em, text.face), up = text.em * 0.3f,
              turn = text.turned * 3.14159265f / 180, across = std::cos(turn), down = std::sin(turn);
  const float x = text.x + up * down, y = text.y - up * across;
  out.line({{x, y}, {x + length * across, y + length * down}}, text.colour);
}

}  // namespace attnscope::figure
