// Keyboard shortcuts, as listed in the table of actions. Inactive while a text field has the focus (except
// KeyScope::everywhere) and behind a dialog.
#pragma once

#include "app/state/frame_state.h"

namespace attnscope {

/// Runs the actions of the keys pressed in this frame.
void handle_keys(FrameState& state);

}  // namespace attnscope
