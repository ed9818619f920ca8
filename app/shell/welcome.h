// The stage when nothing is open: what can be opened, the models and scenes that travel with the program
// among it.
#pragma once

#include "app/state/frame_state.h"

namespace attnscope {

void draw_welcome(FrameState& state);
/// One line in the middle of what is left of the window's width.
void centred_text(const std::string& text, ImU32 colour, ImFont* font);

}  // namespace attnscope
