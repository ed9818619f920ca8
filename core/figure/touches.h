// Lines over a matrix and bars below it: around what an edit touched, through a word that the model does not read.
#pragma once

#include "core/figure/marks.h"

namespace attnscope::figure {

/// Around a cell or several.
void outline_edit(PixelRect rect, Drawing& out);
/// Of rows drawn large, whose cells are `wide` and `tall`: one outline around neighbours that an edit
/// touched.
void outline_large(const PlacedPart& placed, float wide, float tall, Drawing& out);
/// Through the text that was drawn last, where it is the name of a row or column that is struck.
void strike_name(const Names& names, std::int64_t at, Drawing& out, const MarkContext& context);

/// The value of a cell drawn large once more below it: as high as its share of the row's most.
void draw_bar(const MatrixMark::Row& row, double value, PixelRect cell, const PlacedPart& placed,
              Drawing& out);

}  // namespace attnscope::figure
