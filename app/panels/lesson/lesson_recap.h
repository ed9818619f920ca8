// The end of a lesson: what one can do now, what is still open, the next lesson, and the same with something
// of one's own.
#pragma once

#include "app/state/frame_state.h"

namespace attnscope {

void draw_recap(FrameState& state);

}  // namespace attnscope
