// The tabs of the views, in groups: all of them if there is room; otherwise those of the open group, and the
// other groups folded to a label with a menu. Labels are never truncated.
#pragma once

#include <string>

#include "app/state/frame_state.h"

namespace attnscope {

/// Draws at the ImGui cursor, in `width` x `height` pixels. Returns the id of the view that was chosen, or
/// empty.
std::string draw_view_tabs(const FrameState& state, const std::string& open, float width, float height);

}  // namespace attnscope
