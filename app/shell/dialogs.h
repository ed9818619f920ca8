// Small dialogs of the whole program: help with every key, the settings, about. Refuses to be closed by
// anything but Escape, its button, and the key that opened it.
#pragma once

#include "app/state/frame_state.h"

namespace attnscope {

/// The keys of a menu, as F1 lists them.
struct KeyGroup {
  std::string title;
  std::vector<std::pair<std::string, std::string>> lines;  ///< keys, what they do
};
std::vector<KeyGroup> key_groups();

/// What the view on the stage is for, and every key.
void draw_help(FrameState& state);
/// Language, size, theme, contrast, colours, motion.
void draw_settings(FrameState& state);
void draw_about(FrameState& state);
/// Asks whether a file may be read that another one names outside of its folder; nothing where none is.
void draw_outside(FrameState& state);
/// What is asked before the program ends (leaving.h).
void draw_leaving(FrameState& state);

}  // namespace attnscope
