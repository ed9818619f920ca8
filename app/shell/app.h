// The program: a context, Dear ImGui on it, a session and the frame, and the loop that draws them. Either a
// window, or one picture without a display. Refuses to draw when nothing changed.
#pragma once

#include "app/shell/options.h"

namespace attnscope {

/// Opens the window and runs until it is closed. Exit status; errors go to stderr.
int run_window(const Options& options);
/// Writes options.worksheet. Exit status; errors go to stderr.
int print_worksheet(const Options& options);
/// Draws the frame of the options into options.screenshot. Exit status; errors go to stderr.
int take_screenshot(const Options& options);

}  // namespace attnscope
