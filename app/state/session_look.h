// Where one looked, as a session file keeps it: views, cursor, pinned cell, difference, the walk back. Values
// that make no sense are left as they were, never a failure.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "app/widgets/commands.h"

namespace attnscope {

nlohmann::json look_of(const Workspace& workspace);
/// What needs no run.
void take_look(const nlohmann::json& look, Workspace& workspace);
/// The cursor, clamped to the run.
void take_cursor(const nlohmann::json& look, const RunResult& run, Workspace& workspace);

}  // namespace attnscope
