// The start page, shown on the stage when no document is open: what can be opened, with the shipped models
// and scenes.
#pragma once

#include "app/state/frame_state.h"

namespace attnscope {

void draw_welcome(FrameState& state);
/// One line of text, centred in the rest of the window's width.
void centred_text(const std::string& text, ImU32 colour, ImFont* font);

}  // namespace attnscope
