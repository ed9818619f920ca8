// Magnifier over a matrix whose cells are too small for numbers: shows the cells around the mouse pointer
// enlarged, with numbers and labels. On while its key is held, or toggled by a press. Draws nothing when the
// cells are large enough to show their numbers.
#pragma once

#include <string>
#include <vector>

#include "app/widgets/matrix_plot.h"

namespace attnscope {

/// Cells of a matrix (by item name) whose numbers the lens hides: the answers of a lesson's page.
struct HiddenCells {
  std::string matrix;
  std::int64_t row0 = 0, row1 = 0, col0 = 0, col1 = 0;
};
/// From the next frame on.
void hide_from_lens(std::vector<HiddenCells> cells);
/// True when this cell of the plot with that key is hidden.
bool lens_hides(const std::string& key, std::int64_t row, std::int64_t col);

/// Whether the lens is on in this frame; called at the start of a frame.
void set_matrix_lens(bool on);
/// True when the lens was drawn in this frame.
bool matrix_lens_shown();
/// Draws the lens beside the mouse pointer, for the cell under it.
void draw_matrix_lens(const MatrixPlot& plot, const MatrixEvent& event);

}  // namespace attnscope
