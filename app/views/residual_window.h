// Visible window of the lens grid: whole cells only, and chips that show how much is outside it. Independent
// of the content of the cells.
#pragma once

#include "app/widgets/matrix_plot.h"
#include "core/trace/rows.h"

namespace attnscope {

/// Snaps `window`, zoomed or panned from `before`, to whole rows and columns: fewer when zooming in, more
/// when zooming out; at least two.
MatrixWindow whole_cells(const MatrixWindow& before, MatrixWindow window, std::int64_t rows,
                         std::int64_t cols);
/// The initial window: the upper rows, and the columns around `col`; all() if everything fits.
MatrixWindow first_window(std::int64_t rows, std::int64_t cols, std::int64_t col, float fit_rows,
                          float fit_cols);
/// Tints the columns of a row that a previewed change would affect; `at`: plot position, screen pixels.
void tint_cells(const MatrixLayout& layout, ImVec2 at, std::int64_t row, Range cols);
/// Height in pixels of the band below the cells for offer_more(); 0 if everything is visible.
float more_height(const MatrixWindow& window);
/// In a band below the cells (p0, p1 on screen): for each edge with hidden cells a chip with their number; a
/// click shows them.
void offer_more(MatrixWindow& window, std::int64_t all_rows, std::int64_t all_cols, ImVec2 p0, ImVec2 p1);

}  // namespace attnscope
