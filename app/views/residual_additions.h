// The bar chart of what every part adds to the residual stream at one position. Refuses to compute: it shows
// the lengths it is given.
#pragma once

#include <imgui.h>

#include <vector>

#include "core/lens/logit_lens.h"

namespace attnscope {

struct AdditionEvent {
  int bar = -1;  ///< under the pointer
  bool clicked = false;
};
/// Draws at `at` inside `size` pixels.
AdditionEvent draw_additions(const ModelConfig& config, const std::vector<Addition>& parts, ImVec2 at,
                             ImVec2 size);

}  // namespace attnscope
