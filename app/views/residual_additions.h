// The bar chart of what every part adds to the residual stream at one position: how long it is, or what it
// pushes one logit by. Refuses to compute: it shows the lengths it is given.
#pragma once

#include <imgui.h>

#include <vector>

#include "core/lens/logit_lens.h"

namespace attnscope {

struct AdditionEvent {
  int bar = -1;  ///< under the pointer
  bool clicked = false;
};
/// Draws at `at` inside `size` pixels; with `pushes` these, else lengths.
AdditionEvent draw_additions(const ModelConfig& config, const std::vector<Addition>& parts,
                             const Pushes* pushes, ImVec2 at, ImVec2 size);

}  // namespace attnscope
