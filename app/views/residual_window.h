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
/// Height of the band below the cells that offer_more needs; 0 where everything is in sight.
float more_height(const MatrixWindow& window);
/// In a band below the cells (p0, p1 on screen), for each edge behind which there is more: how much, and a
/// click shows it.
void offer_more(MatrixWindow& window, std::int64_t all_rows, std::int64_t all_cols, ImVec2 p0, ImVec2 p1);

}  // namespace attnscope
