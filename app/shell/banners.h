// Messages between the input bar and the stage: errors with a hint and a button, notices, offers. Each can be
// dismissed. All errors are shown, one line each.
#pragma once

#include "app/state/frame_state.h"

namespace attnscope {

/// Draws at `position`; returns the height used in pixels, 0 if there are no messages.
float draw_banners(FrameState& state, ImVec2 position, float width);

}  // namespace attnscope
