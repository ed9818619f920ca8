// The class: who is where, and which pages are hard.
#pragma once

#include "app/state/frame_state.h"

namespace attnscope {

/// The list, while it is open (FrameState::class_shown).
void draw_class(FrameState& state);

}  // namespace attnscope
