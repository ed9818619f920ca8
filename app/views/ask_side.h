// Facts beside the heatmap of a sweep: its baseline, its progress, how well estimates agree with exact
// values, and whether patching a run into itself leaves it unchanged. Draws only.
#pragma once

#include "app/views/view.h"
#include "app/widgets/matrix_plot.h"

namespace attnscope {

/// Draws into the current child window: in one column `width` pixels wide, or, if `beside`, side by side
/// (when the heatmap takes the whole width).
void draw_ask_side(const ViewContext& context, const SweepAnswer& answer, const HeatStyle& style, float width,
                   bool beside);

}  // namespace attnscope
