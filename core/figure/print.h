// What print adds to a matrix: a bar of its colours, and the names of its axes. There no sentence says them.
#pragma once

#include "core/figure/marks.h"

namespace attnscope::figure {

/// All rows have the colours of the matrix.
bool one_scale(const MatrixMark& matrix);
/// A bar of its colours stands beside it.
bool has_scale_bar(const MatrixMark& matrix);
/// Width right of the cells; 0: none.
float scale_bar_width(const MatrixMark& matrix, const MarkContext& context);
void draw_scale_bar(const PlacedPart& placed, Drawing& out, const MarkContext& context);

/// "query ↓" or "key →", empty: none is said.
std::string axis_title(const MatrixMark& matrix, bool rows);
/// Over the names of the rows and before those of the columns. `width`: left of the cells.
void draw_axis_titles(const PlacedPart& placed, float width, Drawing& out, const MarkContext& context);

/// Height of the cells in which every row has its name; 0: they are many, or without names.
float named_rows(const MatrixMark& matrix, const Form& form, const LetterSizes& look);
/// Room for the one name that stays where the others gave way, with its gap; 0: there is none.
float kept_name(const Names& names, float em, float longest, const MarkContext& context);
/// The letters of names of rows that are `tall` pixels: a little smaller than `em` before every second name
/// is left out, but not below 11 pixels.
float row_name_em(float em, float tall);
/// Every how many rows or columns a name may be drawn, where one takes the room of `cells`.
std::int64_t name_every(const PlacedPart& placed, float cells);
/// Which names are drawn where neighbours would overlap: every k-th, the one that is looked at, and the one
/// that is kept.
bool name_shown(const Names& names, std::int64_t at, std::int64_t every);

}  // namespace attnscope::figure
