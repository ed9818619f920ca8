// The program a file is dragged from: the source side of the X window system's drag and drop protocol (XDND,
// version 5), as far as dropping files on one window needs it. Refuses to drag anything but files.
#pragma once

#include <string>
#include <vector>

namespace attnscope::testing {

/// Drops `paths` on the middle of the window with that X id, on the display of DISPLAY, and waits until the
/// window says that it took them. Empty when it did, else what went wrong.
std::string drop_files(unsigned long window, const std::vector<std::string>& paths, double seconds = 40);

}  // namespace attnscope::testing
