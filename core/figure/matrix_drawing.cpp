// How a matrix is drawn: its cells one by one or as a picture, a row drawn large, and the names beside them.
#include <algorithm>
#include <cmath>

#include "core/base/words.h"
#include "core/figure/matrix_parts.h"
#include "core/figure/pooled.h"
#include "core/figure/print.h"
#include "core/figure/row_bars.h"
#include "core/figure/touches.h"

namespace attnscope::figure {
namespace {

constexpr std::int64_t kMostDrawn = 192;    // cells a side; more are pooled
constexpr std::int64_t kMostPixels = 4096;  // the same of a picture

Rgb colour_of(const MatrixMark::Row& row, double value, const Palette& palette) {
  if (hidden_cell(value)) return palette.masked;
  if (!std::isfinite(value)) return palette.ink(Ink::warning);
  return palette.heat(row.scale, row.most > 0 ? value / row.most : 0);
}

// `row`, `col`: which cell it is; -1: several.
void draw_cell(const MatrixMark& matrix, double value, std::int64_t row, std::int64_t col, PixelRect rect,
               const PlacedPart& placed, Drawing& out, const MarkContext& context) {
  const MatrixMark::Row look = matrix.row(row);
  const Rgb ground = colour_of(look, value, out.colours());
  out.rect(rect, ground);
  out.shapes.back().row = row, out.shapes.back().col = col;
  if (hidden_cell(value)) out.rect(rect, out.colours().ink(Ink::dim), DrawnShape::Kind::hatch);
  if (placed.digit <= 0 || (hidden_cell(value) && !drawn_large(matrix) && !matrix.signs)) return;
  // A masked score is -inf, the weight that comes of it 0.
  const std::string text = !hidden_cell(value) ? cell_text(value, look.digits, placed.form)
                           : look.scale == Scale::diverging && !matrix.masked_is_zero ? number_text(value, 0)
                                                                                      : "0";
  const float width = context.measure.width(text, placed.digit, Face::mono);
  out.text(text, rect.x + (rect.w - width) / 2, rect.y + (rect.h + placed.digit * 0.72f) / 2, placed.digit,
           Face::mono, readable_on(ground), rect);
  out.shapes.back().digit = true;
}

void draw_large(const PlacedPart& placed, Drawing& out, const MarkContext& context) {
  const MatrixMark& matrix = matrix_in(*placed.part);
  const bool rest = placed.columns.size() < matrix.order.size();
  const float em = matrix_name_em(matrix, context.look),
              wide = placed.cells.w / static_cast<float>(placed.columns.size() + (rest ? 1 : 0)),
              tall = placed.cells.h / as_float(matrix_rows(matrix));
  // Then a line stands where they are.
  const bool few_left_out = rest && !matrix.by_order && placed.columns.size() * 2 > matrix.order.size();
  for (std::size_t at = 0; at < placed.columns.size() + (rest ? 1 : 0); ++at) {
    const bool others = at == placed.columns.size();
    const float x = placed.cells.x + wide * static_cast<float>(at);
    const auto col = others ? 0 : placed.columns[at];
    if (few_left_out && at > 0 && !others && col != placed.columns[at - 1] + 1)
      out.rect({x - 1, placed.cells.y - em, 2, placed.cells.h + em}, out.colours().ink(Ink::dim));
    const std::string name =
        others ? tr("figure.others", {std::to_string(matrix.order.size() - placed.columns.size())})
        : static_cast<std::size_t>(col) < matrix.cols.labels.size()
            ? matrix.cols.labels[static_cast<std::size_t>(col)].str()
            : std::to_string(col);
    const Face face = others ? Face::sans : Face::mono;
    const float full = context.measure.width(name, em, face);
    const float room =
        wide - (others ? kOtherApart : 4);  // names are apart, the last one from the name before it
    const float letters = full > room ? em * std::max(context.look.least_name, room / full) : em;
    const std::string shown = context.measure.fitted(name, letters, face, room);
    if (matrix.cols.shown)
      out.text(shown, x + (wide - context.measure.width(shown, letters, face)) / 2, placed.cells.y - 5,
               letters, face,
               out.colours().ink(others                      ? Ink::dim
                                 : col == matrix.cols.looked ? Ink::text
                                                             : matrix.cols.ink),
               {x, placed.cells.y - em * kLine - 2, wide, em * kLine + 2});
    if (matrix.cols.shown && !others) strike_name(matrix.cols, col, out, context);
    for (std::int64_t row = 0; row < matrix_rows(matrix); ++row) {
      const PixelRect cell{x + 1, placed.cells.y + tall * as_float(row) + 1, wide - 2, tall - 2};
      if (others && matrix.others != MatrixMark::Others::sum) {
        out.rect(cell, out.colours().panel);
        if (matrix.others == MatrixMark::Others::bars)
          draw_other_bars(matrix, row, placed.columns, cell, out);
        continue;
      }
      double value = others ? 0 : static_cast<double>(matrix.values.at(row, col));
      for (std::int64_t other = 0; others && other < matrix_cols(matrix); ++other) {
        const auto one = static_cast<double>(matrix.values.at(row, other));
        const bool own = std::find(placed.columns.begin(), placed.columns.end(), static_cast<int>(other)) !=
                         placed.columns.end();
        if (!own && !hidden_cell(one)) value += one;
      }
      draw_cell(matrix, value, row, others ? -1 : col, cell, placed, out, context);
      if (placed.bars > 0 && row + 1 == matrix_rows(matrix))
        draw_row_bar(matrix.row(row), value, cell, placed, out);
    }
  }
  outline_large(placed, wide, tall, out);
}

// One pixel per cell.
void draw_picture(const PlacedPart& placed, Drawing& out) {
  const MatrixMark& matrix = matrix_in(*placed.part);
  const std::int64_t tall = pooled_together(matrix_rows(matrix), kMostPixels),
                     wide = pooled_together(matrix_cols(matrix), kMostPixels);
  DrawnShape shape;
  shape.kind = DrawnShape::Kind::picture, shape.rect = placed.cells, shape.part = out.part;
  shape.columns = pooled_together(matrix_cols(matrix), wide);
  for (std::int64_t row = 0; row < matrix_rows(matrix); row += tall)
    for (std::int64_t col = 0; col < matrix_cols(matrix); col += wide)
      shape.pixels.push_back(colour_of(matrix.row(row),
                                       pooled(matrix, row, std::min(matrix_rows(matrix), row + tall), col,
                                              std::min(matrix_cols(matrix), col + wide)),
                                       out.colours()));
  out.shapes.push_back(std::move(shape));
}

void draw_cells(const PlacedPart& placed, Drawing& out, const MarkContext& context) {
  const MatrixMark& matrix = matrix_in(*placed.part);
  if (out.pictures && matrix_rows(matrix) * matrix_cols(matrix) > kMostCells)
    return draw_picture(placed, out);
  const std::int64_t block_rows = pooled_together(matrix_rows(matrix), kMostDrawn),
                     block_cols = pooled_together(matrix_cols(matrix), kMostDrawn);
  const float wide = placed.cells.w / as_float(matrix_cols(matrix)),
              tall = placed.cells.h / as_float(matrix_rows(matrix));
  const float gap = std::min(wide, tall) > 6 ? 1.f : 0.f;
  for (std::int64_t row = 0; row < matrix_rows(matrix); row += block_rows) {
    const std::int64_t row1 = std::min(matrix_rows(matrix), row + block_rows);
    for (std::int64_t col = 0; col < matrix_cols(matrix); col += block_cols) {
      const std::int64_t col1 = std::min(matrix_cols(matrix), col + block_cols);
      const bool one = block_rows == 1 && block_cols == 1;
      const std::size_t cell = out.shapes.size();
      draw_cell(matrix, pooled(matrix, row, row1, col, col1), one ? row : -1, one ? col : -1,
                {placed.cells.x + wide * as_float(col), placed.cells.y + tall * as_float(row),
                 wide * as_float(col1 - col) - gap, tall * as_float(row1 - row) - gap},
                placed, out, context);
      out.shapes[cell].touches = gap == 0;
    }
  }
}

void draw_plane(const PlacedPart& placed, Drawing& out, const MarkContext& context) {
  const MatrixMark& matrix = matrix_in(*placed.part);
  draw_cells(placed, out, context);
  const float tall = placed.cells.h / as_float(matrix_rows(matrix));
  if (matrix.rows.looked >= 0 && matrix.rows.looked < matrix_rows(matrix))
    out.rect({placed.cells.x, placed.cells.y + tall * as_float(matrix.rows.looked), placed.cells.w, tall},
             out.colours().ink(Ink::accent), DrawnShape::Kind::frame);
  draw_left_out(placed, out);
  const float wide = placed.cells.w / as_float(matrix_cols(matrix));
  for (const MatrixMark::Block& block : matrix.edited)
    outline_edit({placed.cells.x + wide * as_float(block.col), placed.cells.y + tall * as_float(block.row),
                  wide * as_float(block.cols), tall * as_float(block.rows)},
                 out);
}

void draw_row_names(const PlacedPart& placed, const MatrixNames& names, Drawing& out,
                    const MarkContext& context) {
  const MatrixMark& matrix = matrix_in(*placed.part);
  const float tall = placed.cells.h / as_float(matrix_rows(matrix));
  const float em = row_name_em(matrix_name_em(matrix, placed.form, context.look), tall);
  const std::int64_t every = name_every(placed, em * kLine / tall - 0.01f);
  for (std::int64_t row = 0; row < static_cast<std::int64_t>(matrix.rows.labels.size()); ++row) {
    if (!name_shown(matrix.rows, row, every)) continue;
    const std::string text = context.measure.fitted(matrix.rows.labels[static_cast<std::size_t>(row)].str(),
                                                    em, Face::mono, names.row - 6);
    const float y = placed.cells.y + tall * (as_float(row) + 0.5f);
    out.text(text, placed.cells.x - 6 - context.measure.width(text, em, Face::mono), y + em * 0.36f, em,
             Face::mono, out.colours().ink(row == matrix.rows.looked ? Ink::accent : matrix.rows.ink),
             {placed.box.x, y - em * kLine / 2, names.row, em * kLine});
    out.shapes.back().row = row;
    strike_name(matrix.rows, row, out, context);
  }
}
void draw_column_names(const PlacedPart& placed, const MatrixNames& names, Drawing& out,
                       const MarkContext& context) {
  const MatrixMark& matrix = matrix_in(*placed.part);
  const float em = matrix_name_em(matrix, placed.form, context.look),
              wide = placed.cells.w / as_float(matrix_cols(matrix));
  const std::int64_t every = name_every(placed, names.apart / wide);
  for (std::int64_t col = 0; col < static_cast<std::int64_t>(matrix.cols.labels.size()); ++col) {
    if (!name_shown(matrix.cols, col, every)) continue;
    const std::string text = context.measure.fitted(matrix.cols.labels[static_cast<std::size_t>(col)].str(),
                                                    em, Face::mono, names.longest_allowed);
    const float length = context.measure.width(text, em, Face::mono),
                middle = placed.cells.x + wide * (as_float(col) + 0.5f);
    const Rgb colour = out.colours().ink(col == matrix.cols.looked ? Ink::accent : matrix.cols.ink);
    if (names.slanted) {
      out.text(text, middle + em * 0.25f, placed.cells.y - 4, em, Face::mono, colour, placed.box);
      out.shapes.back().turned = -45;
    } else {
      const float x = std::min(middle - length / 2, placed.box.right() - length);
      out.text(text, std::max(placed.box.x, x), placed.cells.y - 5, em, Face::mono, colour, placed.box);
    }
    strike_name(matrix.cols, col, out, context);
  }
}

}  // namespace

void draw_matrix(const PlacedPart& placed, Drawing& out, const MarkContext& context) {
  const MatrixMark& matrix = matrix_in(*placed.part);
  const MatrixNames names = matrix_names(matrix, placed.form, context);
  draw_title(placed, out, context.look);
  if (names.row > 0) draw_row_names(placed, names, out, context);
  if (drawn_large(matrix)) return draw_large(placed, out, context);
  if (names.top > 0 && matrix.cols.shown) draw_column_names(placed, names, out, context);
  if (names.top > 0 && !placed.form.has(Give::names)) draw_axis_titles(placed, names.row, out, context);
  draw_plane(placed, out, context);
  draw_scale_bar(placed, out, context);
}

}  // namespace attnscope::figure
