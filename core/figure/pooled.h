// Cells of a matrix that is larger than its picture: blocks of them are drawn as one.
#pragma once

#include <cstdint>

#include "core/figure/figure.h"

namespace attnscope::figure {

/// A cell that the mask hides: -inf.
bool hidden_cell(double value);
/// Of rows row0 to row1 - 1 and columns col0 to col1 - 1 the value of largest magnitude, NaN before all; -inf
/// where all are masked.
double pooled(const MatrixMark& matrix, std::int64_t row0, std::int64_t row1, std::int64_t col0,
              std::int64_t col1);
/// How many of `cells` make a block, so that there are at most `most` blocks.
std::int64_t pooled_together(std::int64_t cells, std::int64_t most);

}  // namespace attnscope::figure
