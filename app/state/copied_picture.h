// Pictures for the clipboard, by the program that the desktop has for that: wl-copy of wl-clipboard, or
// xclip. They stay there after the window is closed.
#pragma once

#include <string>

#include "app/state/frame_state.h"

namespace attnscope {

/// The bytes of a PNG; takes a moment. Errors: those of run_with_input().
Status picture_into_clipboard(const std::string& png);
/// The figure on the stage with its session, as an exported PNG has it, in a background job; a notice tells.
void copy_shown_figure(FrameState& state, float scale);

}  // namespace attnscope
