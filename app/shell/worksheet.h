// A lesson on paper with the pictures of its pages: each is opened in a frame of its own, so that what is on
// the screen stays as it is.
#pragma once

#include "app/gpu/imgui_host.h"
#include "app/state/frame_state.h"

namespace attnscope {

/// The HTML of core/lesson/worksheet.h with the figure of every page that has one. Afterwards the theme is
/// the light one: whoever goes on sets his own. Errors: no such lesson, a page that does not open.
Result<std::string> drawn_worksheet(const SheetRequest& request, ImguiHost& host);
/// Writes it where the request says; a notice of `state` says how that went. The theme stays.
void write_worksheet(const SheetRequest& request, ImguiHost& host, FrameState& state);

}  // namespace attnscope
