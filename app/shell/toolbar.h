// The top line: program name, menus, title of the document, and toggles of the whole window. Every control is
// an action of the table (app/state/actions.h).
#pragma once

#include "app/state/frame_state.h"

namespace attnscope {

/// The few controls of the easy window, and the switch between easy and full.
void draw_easy_toolbar(FrameState& state, ImVec2 position, ImVec2 size);
void draw_toolbar(FrameState& state, ImVec2 position, ImVec2 size);

}  // namespace attnscope
