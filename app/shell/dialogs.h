// Modal dialogs: help with every key, settings, about, permission to read a file, exit. Closed by Escape, a
// button, or the key that opened them.
#pragma once

#include "app/state/frame_state.h"

namespace attnscope {

/// The keys of one menu, as listed by F1.
struct KeyGroup {
  std::string title;
  std::vector<std::pair<std::string, std::string>> lines;  ///< keys, description
};
std::vector<KeyGroup> key_groups(Level level);

/// Help: what the current view is for, and every key.
void draw_help(FrameState& state);
/// Language, size, theme, contrast, colours, motion.
void draw_settings(FrameState& state);
void draw_about(FrameState& state);
/// Asks for permission to read a file that another file references outside its folder; if there is one.
void draw_outside(FrameState& state);
/// The dialog before exit (leaving.h).
void draw_leaving(FrameState& state);

}  // namespace attnscope
