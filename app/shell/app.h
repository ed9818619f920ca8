// The program: GL context, Dear ImGui, session and frame, and the event loop that draws them. Runs a window,
// or makes one picture without a display. A frame is drawn only when something may have changed.
#pragma once

#include "app/shell/options.h"
#include "core/base/result.h"

namespace attnscope {

struct FrameState;

/// Size of the window where options and settings name none: units.
constexpr float kUsualWide = 1440.f, kUsualHigh = 900.f;

/// Says on stderr what went wrong; returns the exit status.
int complain(const Error& error);
/// Opens what the options name and waits for its run, and, where no frames are measured, for a training.
/// Errors: of opening, and an input that the model refuses.
Status open_and_wait(FrameState& state, const Options& options);
/// Opens the window and runs until it is closed. Returns the exit status; errors go to stderr.
int run_window(const Options& options);
/// Writes options.worksheet. Returns the exit status; errors go to stderr.
int print_worksheet(const Options& options);
/// Draws frames without a display and writes what options name: a screenshot, an export, a session. Returns
/// the exit status; errors go to stderr.
int take_screenshot(const Options& options);

}  // namespace attnscope
