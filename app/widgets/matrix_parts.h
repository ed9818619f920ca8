// What the files of the matrix plot share among themselves: labels, sizes, how slanted text is.
// Not for views: they use matrix_plot.h.
#pragma once

#include "app/widgets/matrix_plot.h"

namespace attnscope {

constexpr float kSlantSine = 0.766f, kSlantCosine = 0.643f;  // 50 degrees
constexpr float kLongestSlanted = 84.f;                      // units
constexpr float kPictureSide = 22.f, kPictureGap = 4.f;      // of a patch beside its label, units
/// Pixels that the pictures of an axis take; 0 where it has none.
float picture_room(const MatrixAxis& axis);
/// Draws the patch of an entry as a square, where it has one.
void draw_axis_picture(Painter& painter, const Canvas& canvas, const MatrixAxis& axis, std::int64_t entry,
                       ImVec2 p0, float side);

ImFont* label_font(const MatrixAxis& axis);
std::string axis_label(const MatrixAxis& axis, std::int64_t at);
std::int64_t matrix_rows(const MatrixPlot& plot);
std::int64_t matrix_cols(const MatrixPlot& plot);

/// Text that climbs to the right from its lower left corner.
void draw_slanted(const Canvas& canvas, ImFont* font, ImVec2 at, ImU32 colour, std::string_view text);
/// Titles and labels of both axes; `hover_row`, `hover_col`: their labels are lit.
void draw_axes(Painter& painter, const Canvas& canvas, const MatrixPlot& plot, const MatrixLayout& layout,
               ImVec2 position, std::int64_t hover_row, std::int64_t hover_col);
/// How the numbers of a plot are written so that every one fits into its cell.
struct NumberFormat {
  int digits = -1;    ///< after the point; -1: they do not fit
  bool bare = false;  ///< ".35" for 0.35, where that makes room for a digit
  bool each = false;  ///< every number as compact_number() writes it
  ImFont* font = nullptr;
};
NumberFormat fitting_numbers(const MatrixPlot& plot, const MatrixLayout& layout);

}  // namespace attnscope
