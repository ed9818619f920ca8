// The tabs of the views, in groups: all of them where there is room; else the open group's, and the others as
// a word each, behind which their views stand. Refuses to cut a word.
#pragma once

#include <string>

#include "app/state/frame_state.h"

namespace attnscope {

/// Draws where ImGui's cursor stands, in `width` x `height` pixels. The id of the view that was chosen, or
/// empty.
std::string draw_view_tabs(const FrameState& state, const std::string& open, float width, float height);

}  // namespace attnscope
