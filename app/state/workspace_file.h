// The workspace file: last views and cursor, and preferences, as JSON in
// $XDG_CONFIG_HOME/attnscope or ~/.config/attnscope. A missing or broken file gives the defaults,
// never an error.
#pragma once

#include <string>

#include "app/state/frame_state.h"

namespace attnscope {

/// Path of the file; empty when neither XDG_CONFIG_HOME nor HOME is set.
std::string workspace_path();
/// Folder beside it where training runs are stored; empty likewise.
std::string training_folder();
/// Reads the file; invalid values are ignored and the current ones kept. False if there is no such file or it
/// is not JSON.
bool load_workspace(const std::string& path, Workspace& workspace, Settings& settings);
/// Writes the file, complete or not at all; creates its folder. An empty path does nothing.
Status save_workspace(const std::string& path, const Workspace& workspace, const Settings& settings);

}  // namespace attnscope
