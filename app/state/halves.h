// Which half of the stage gets the keyboard input. Draws nothing.
#pragma once

#include "app/state/frame_state.h"

namespace attnscope {

/// True for the second half: the mouse pointer was there last.
inline bool keys_in_second(const FrameState& state) {
  return state.second_active && !state.workspace.second_view.empty() && !state.presenter.on;
}

}  // namespace attnscope
