// The part of the lens that is in sight: whole cells of it, and what says that there is more. Refuses to know
// what the cells hold.
#pragma once

#include "app/widgets/matrix_plot.h"

namespace attnscope {

/// `window` as it was after zooming or panning from `before`, at whole rows and columns: fewer when it came
/// closer, more when it went away; two at least.
MatrixWindow whole_cells(const MatrixWindow& before, MatrixWindow window, std::int64_t rows,
                         std::int64_t cols);
/// What of the cells fits: the upper rows, and the columns around `col`; all() where everything does.
MatrixWindow first_window(std::int64_t rows, std::int64_t cols, std::int64_t col, float fit_rows,
                          float fit_cols);
/// At each edge behind which there is more: how much, and a click shows it. p0, p1: the cells on screen.
/// `buttons` come before the matrix, which takes the pointer else; what is seen of them lies above it.
void offer_more(MatrixWindow& window, std::int64_t all_rows, std::int64_t all_cols, ImVec2 p0, ImVec2 p1,
                bool buttons);

}  // namespace attnscope
