// The small windows over the frame: the list of keys (F1) and what this program is.
#pragma once

#include "app/state/frame_state.h"

namespace attnscope {

void draw_keys_help(FrameState& state);
void draw_about(FrameState& state);

}  // namespace attnscope
