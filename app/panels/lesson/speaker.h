// The presenter's window on a second screen: a copy of the presented window with its mouse pointer, notes and
// answer of the page, what comes next, and the time. Drawn in the ImGui context of that second window
// (gpu/side_window.h).
#pragma once

#include "app/state/frame_state.h"

namespace attnscope {

/// Copy of the presented window's last frame.
struct Mirror {
  ImTextureID picture = {};
  ImVec2 size;     ///< pixels; zero: none
  ImVec2 pointer;  ///< mouse position, pixels of the presented window; negative: outside
};

/// Fills the window of the current ImGui context.
void draw_speaker(FrameState& state, const Mirror& mirror);

}  // namespace attnscope
