// The lens over a matrix whose cells are too small for numbers: the cells around the pointer, large, with
// their numbers and names. On while its key is held, or until it is pressed again. Refuses cells that can be
// read.
#pragma once

#include <string>
#include <vector>

#include "app/widgets/matrix_plot.h"

namespace attnscope {

/// Cells of a matrix (its item's name) that the lens keeps to itself: those of a lesson's page.
struct HiddenCells {
  std::string matrix;
  std::int64_t row0 = 0, row1 = 0, col0 = 0, col1 = 0;
};
/// From the next frame on.
void hide_from_lens(std::vector<HiddenCells> cells);
/// True where the cell of the plot with this key is hidden.
bool lens_hides(const std::string& key, std::int64_t row, std::int64_t col);

/// Whether matrices show it in this frame; begins a frame.
void set_matrix_lens(bool on);
/// Somebody showed it in this frame.
bool matrix_lens_shown();
/// Shows the cells around the one under the pointer, beside it.
void draw_matrix_lens(const MatrixPlot& plot, const MatrixEvent& event);

}  // namespace attnscope
