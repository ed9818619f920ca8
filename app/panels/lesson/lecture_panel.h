// The list of slides beside the stage: titles, the note of the chosen one, its place in the list, and the
// buttons of the lecture.
#pragma once

#include "app/state/frame_state.h"

namespace attnscope {

/// Draws into the current child window.
void draw_lecture_panel(FrameState& state);
/// Two chips above it: slides or inspector.
void draw_lecture_switch(FrameState& state);
/// Over the stage: why the slide is not shown, if it is not.
void draw_lecture_trouble(FrameState& state);

}  // namespace attnscope
