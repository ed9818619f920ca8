// Which half of the stage the keys belong to. Refuses to draw it.
#pragma once

#include "app/state/frame_state.h"

namespace attnscope {

/// Whether it is the second one: the pointer was there last.
inline bool keys_in_second(const FrameState& state) {
  return state.second_active && !state.workspace.second_view.empty() && !state.presenter.on;
}

}  // namespace attnscope
