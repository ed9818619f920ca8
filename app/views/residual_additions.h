// Bar chart of every addition to the residual stream at one position: its norm, or its contribution to one
// logit. Draws values computed in core/lens.
#pragma once

#include <imgui.h>

#include <vector>

#include "core/lens/logit_lens.h"

namespace attnscope {

struct AdditionEvent {
  int bar = -1;  ///< hovered; -1: none
  bool clicked = false;
};
/// Draws at `at` inside `size` pixels; contributions if `pushes` is given, else norms.
AdditionEvent draw_additions(const ModelConfig& config, const std::vector<Addition>& parts,
                             const Pushes* pushes, ImVec2 at, ImVec2 size);

}  // namespace attnscope
