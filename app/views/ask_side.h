// Beside the heatmap of a sweep: what it is compared with, how far it has come, whether estimates can be
// believed, and whether a run that is patched into itself stays what it is. Refuses to compute.
#pragma once

#include "app/views/view.h"
#include "app/widgets/matrix_plot.h"

namespace attnscope {

/// Draws into the current child window: one below the other `width` pixels wide, or, where the heatmap takes
/// the whole width, beside each other.
void draw_ask_side(const ViewContext& context, const SweepAnswer& answer, const HeatStyle& style, float width,
                   bool beside);

}  // namespace attnscope
