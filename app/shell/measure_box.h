// The measure in the toolbar: its words, its value in the newest run, and what the edits changed of it; a
// click opens the field. Refuses to take room that is not there: words give way first.
#pragma once

#include "app/state/frame_state.h"

namespace attnscope {

/// Draws right-aligned into `room` pixels that end at `right`; nothing where the run has no measure, or no
/// room.
void draw_measure_box(FrameState& state, float right, float middle, float room);

}  // namespace attnscope
