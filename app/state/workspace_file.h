// The workspace on disk: where one looked last and how this person likes the program, as JSON in
// $XDG_CONFIG_HOME/attnscope or ~/.config/attnscope. A missing or broken file gives the defaults, never a
// failure.
#pragma once

#include <string>

#include "app/state/frame_state.h"

namespace attnscope {

/// The file's path; empty where neither XDG_CONFIG_HOME nor HOME is set.
std::string workspace_path();
/// The folder beside it where training runs are kept; empty likewise.
std::string training_folder();
/// Reads what the file has; values that make no sense are left as they were. False when there is no such file
/// or it is no JSON.
bool load_workspace(const std::string& path, Workspace& workspace, Settings& settings);
/// Writes the file, whole or not at all; makes its folder. An empty path does nothing.
Status save_workspace(const std::string& path, const Workspace& workspace, const Settings& settings);

}  // namespace attnscope
