// Lines between the input bar and the stage: what went wrong, with a hint and what can be done, and what is
// worth knowing. Each can be dismissed. Refuses to hide an error behind another.
#pragma once

#include "app/state/frame_state.h"

namespace attnscope {

/// Draws at `position`; the height that was used, 0 when there is nothing to say.
float draw_banners(FrameState& state, ImVec2 position, float width);

}  // namespace attnscope
