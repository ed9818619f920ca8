// The top line: program name, menus, title of the document, and toggles of the whole window. Every control is
// an action of the table (app/state/actions.h).
#pragma once

#include "app/state/frame_state.h"

namespace attnscope {

void draw_toolbar(FrameState& state, ImVec2 position, ImVec2 size);

}  // namespace attnscope
