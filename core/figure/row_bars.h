// Bars of a row drawn large: of the numbers that have no cell of their own, and below the cells.
#pragma once

#include <vector>

#include "core/figure/marks.h"

namespace attnscope::figure {

/// The numbers of a row but those `shown` as thin bars from the middle line, up where they are above 0.
void draw_other_bars(const MatrixMark& matrix, std::int64_t row, const std::vector<int>& shown,
                     PixelRect rect, Drawing& out);
/// The value below its cell: as high as its share of the row's most.
void draw_row_bar(const MatrixMark::Row& row, double value, PixelRect cell, const PlacedPart& placed,
                  Drawing& out);

}  // namespace attnscope::figure
