// Worksheet of a lesson with the pictures of its pages: each page is opened in a frame of its own, so that
// the window's own session is unchanged.
#pragma once

#include "app/gpu/imgui_host.h"
#include "app/state/frame_state.h"

namespace attnscope {

/// The HTML of core/lesson/worksheet.h with the figure of every page that has one. Sets the light theme:
/// callers restore theirs. Errors: no such lesson, a page that cannot be opened.
Result<std::string> drawn_worksheet(const SheetRequest& request, ImguiHost& host);
/// Writes the file of the request; a notice of `state` shows the result. Keeps the current theme.
void write_worksheet(const SheetRequest& request, ImguiHost& host, FrameState& state);

}  // namespace attnscope
