// What the command line asks of a session and a frame: opening, the input, where to look.
#pragma once

#include "app/shell/frame.h"
#include "app/shell/options.h"

namespace attnscope {

/// Begins to open what the options name, or the default scene.
void open_asked(FrameState& state, const Options& options);
/// The language of the command line, else the saved one, else the system's. Before anything is opened.
void apply_language(FrameState& state, const Options& options);
/// Theme, view, animation: what needs no run.
Status apply_look(FrameState& state, const Options& options);
/// Texts, ids, images, mask and padding, once the model is open. Fails when they do not fit the model. A
/// decoder whose words were not given gets the model's own answer, in the background.
Status apply_input(FrameState& state, const Options& options);
/// The same in the window: where it fails nothing of it is taken, and a notice says so.
void give_input_or_say(FrameState& state, const Options& options);
/// Once nothing runs any more: what was given and could not be run is taken back, all of it, and a notice
/// says so.
void take_back_refused_input(FrameState& state, const Options& options);
/// Begins the training that was asked for, and shows its view. Fails where there is no such task.
Status apply_training(FrameState& state, const Options& options);
/// Layer, head and step, once there is a run. Numbers out of range are clamped and told in `notes`; a step
/// that the run does not have is an error.
Status apply_cursor(FrameState& state, const RunResult& run, const Options& options,
                    std::vector<std::string>& notes);

}  // namespace attnscope
