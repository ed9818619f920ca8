// What the keys do: the table of actions says it. Refuses to listen while somebody types, or to move things
// behind an open dialog.
#pragma once

#include "app/state/frame_state.h"

namespace attnscope {

/// Acts on the keys of this frame.
void handle_keys(FrameState& state);

}  // namespace attnscope
