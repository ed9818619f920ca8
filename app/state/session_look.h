// Views, cursor, pinned cell, difference and backward mode as JSON, for session files. Reading: invalid
// values are ignored and the current ones kept; never an error.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "app/widgets/commands.h"

namespace attnscope {

nlohmann::json look_of(const Workspace& workspace);
/// Reads everything that needs no run.
void take_look(const nlohmann::json& look, Workspace& workspace);
/// Reads the cursor, clamped to the run.
void take_cursor(const nlohmann::json& look, const RunResult& run, Workspace& workspace);

}  // namespace attnscope
