// The lens over a matrix whose cells are too small for numbers: the cells around the pointer, large, with
// their numbers and names. On while its key is held, or until it is pressed again. Refuses cells that can be
// read.
#pragma once

#include "app/widgets/matrix_plot.h"

namespace attnscope {

/// Whether matrices show it in this frame; begins a frame.
void set_matrix_lens(bool on);
/// Somebody showed it in this frame.
bool matrix_lens_shown();
/// Shows the cells around the one under the pointer, beside it.
void draw_matrix_lens(const MatrixPlot& plot, const MatrixEvent& event);

}  // namespace attnscope
