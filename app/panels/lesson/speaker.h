// What stands on the second screen while one presents: the picture that the class sees with the pointer in
// it, the notes and the answer of the page, what comes next, and the time. Refuses to be drawn in the window
// that is presented.
#pragma once

#include "app/state/frame_state.h"

namespace attnscope {

/// The presented window as it was drawn last.
struct Mirror {
  ImTextureID picture = {};
  ImVec2 size;     ///< pixels; zero: there is none
  ImVec2 pointer;  ///< pixels of the presented window; negative: it is elsewhere
};

/// Fills the window of the current ImGui context.
void draw_speaker(FrameState& state, const Mirror& mirror);

}  // namespace attnscope
