// Lines over a matrix: around what an edit touched, through a word that the model does not read.
#pragma once

#include "core/figure/marks.h"

namespace attnscope::figure {

/// Around a cell or several.
void outline_edit(PixelRect rect, Drawing& out);
/// Between columns of a piece that are no neighbours in its step.
void draw_left_out(const PlacedPart& placed, Drawing& out);
/// Of rows drawn large, whose cells are `wide` and `tall`: one outline around neighbours that an edit
/// touched.
void outline_large(const PlacedPart& placed, float wide, float tall, Drawing& out);
/// Through the text that was drawn last, where it is the name of a row or column that is struck.
void strike_name(const Names& names, std::int64_t at, Drawing& out, const MarkContext& context);

}  // namespace attnscope::figure
