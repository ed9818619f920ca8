// The top line: name, menus, what is open, and the switches that belong to the whole window.
// Refuses controls that do nothing.
#pragma once

#include "app/state/frame_state.h"

namespace attnscope {

void draw_toolbar(FrameState& state, ImVec2 position, ImVec2 size);

}  // namespace attnscope
