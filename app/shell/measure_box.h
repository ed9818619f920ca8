// The measure in the toolbar: its name, its value in the newest run, and the change by the edits; a click
// opens its field. Text is shortened when there is little room.
#pragma once

#include "app/state/frame_state.h"

namespace attnscope {

/// Draws right-aligned into `room` pixels that end at `right`; nothing when the run has no measure, or there
/// is no room.
void draw_measure_box(FrameState& state, float right, float middle, float room);

}  // namespace attnscope
