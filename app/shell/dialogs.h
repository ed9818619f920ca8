// Modal dialogs: settings, about, permission to read a file, exit. Closed by Escape, a
// button, or the key that opened them.
#pragma once

#include "app/state/frame_state.h"

namespace attnscope {

/// The keys of one menu, as the handbook lists them.
struct KeyGroup {
  std::string title;
  std::vector<std::pair<std::string, std::string>> lines;  ///< keys, description
};
std::vector<KeyGroup> key_groups(Level level);

/// Opens the popup if `ask` is set; true while it is open: then draw it, and call end_dialog().
bool begin_dialog(const char* id, bool& ask);
/// Its button to close it, with `hint` beside it; Escape and the key of the action that opened it close it
/// too.
void end_dialog(const char* opened_by, const char* hint = nullptr);
/// Language, size, theme, contrast, colours, motion.
void draw_settings(FrameState& state);
void draw_about(FrameState& state);
/// Asks for permission to read a file that another file references outside its folder; if there is one.
void draw_outside(FrameState& state);
/// The dialog before exit (leaving.h).
void draw_leaving(FrameState& state);

}  // namespace attnscope
