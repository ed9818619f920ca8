// Shared by the files of the matrix plot only: labels, sizes, slanted text. Views use
// matrix_plot.h.
#pragma once

#include "app/widgets/matrix_plot.h"

namespace attnscope {

constexpr float kPictureSide = 22.f, kPictureGap = 4.f;  // patch picture beside its label, units
/// Pixels reserved for the pictures of an axis; 0 when it has none.
float picture_room(const MatrixAxis& axis);
/// Draws the patch picture of an entry as a square; nothing when it has none.
void draw_axis_picture(Painter& painter, const Canvas& canvas, const MatrixAxis& axis, std::int64_t entry,
                       ImVec2 p0, float side);

ImFont* label_font(const MatrixAxis& axis);
std::string axis_label(const MatrixAxis& axis, std::int64_t at);
std::int64_t matrix_rows(const MatrixPlot& plot);
std::int64_t matrix_cols(const MatrixPlot& plot);

/// Text that rises to the right from its lower left corner.
void draw_slanted(const Canvas& canvas, ImFont* font, ImVec2 at, ImU32 colour, std::string_view text);
/// Titles and labels of both axes; labels of `hover_row` and `hover_col` are highlighted.
void draw_axes(Painter& painter, const Canvas& canvas, const MatrixPlot& plot, const MatrixLayout& layout,
               ImVec2 position, std::int64_t hover_row, std::int64_t hover_col);
/// Number format of a plot, so that every number fits into its cell.
struct NumberFormat {
  int digits = -1;    ///< decimals; -1: numbers do not fit
  bool bare = false;  ///< ".35" for 0.35, when that makes room for one more digit
  bool each = false;  ///< every number in the format of compact_number()
  ImFont* font = nullptr;
};
/// "0.0734", "5.2·10⁻⁶"; without room for a power of ten "5.24e-6".
std::string tick_number(double value, bool room);
NumberFormat fitting_numbers(const MatrixPlot& plot, const MatrixLayout& layout);

}  // namespace attnscope
