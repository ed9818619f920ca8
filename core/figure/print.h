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

/// Which names are drawn where neighbours would overlap: every k-th, the one that is looked at, and the one
/// that is kept.
bool name_shown(const Names& names, std::int64_t at, std::int64_t every);

}  // namespace attnscope::figure
