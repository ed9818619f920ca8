// The bar chart of what every part adds to the residual stream at one position. Refuses to compute: it shows
// the lengths it is given.
#pragma once

#include <imgui.h>

#include <vector>

#include "core/lens/logit_lens.h"

namespace attnscope {

/// Draws at `at` inside `size` pixels; the index of the bar that was clicked, or -1.
int draw_additions(const ModelConfig& config, const std::vector<Addition>& parts, ImVec2 at, ImVec2 size);

}  // namespace attnscope
