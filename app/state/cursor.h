// The cursor kept inside the run, and the moves that keys ask for. Steps of the walk are moved by
// app/widgets/navigation.h. Refuses to draw.
#pragma once

#include "app/widgets/commands.h"

namespace attnscope {

/// Puts the cursor inside the run: sequence, layer, head, query and key are clamped; a step that the run does
/// not have becomes the same one of the walk, or the first; a pin outside of the run is dropped.
void tidy_cursor(Cursor& cursor, const RunResult& run);
/// The cursor of a run that nobody has looked at.
Cursor first_cursor(const RunResult& run);
/// Moves by `by` steps of the walk; false at its end.
bool walk(Workspace& workspace, const RunResult& run, int by);
/// Another block, on into the next stack at the end of one; the step becomes the same one there.
void move_layer(Cursor& cursor, const RunResult& run, int by);
void move_head(Cursor& cursor, const RunResult& run, int by);
/// Blocks of the cursor's stack, at least 1.
int layer_count(const Cursor& cursor, const RunResult& run);
/// Heads of the cursor's attention, at least 1.
int head_count(const Cursor& cursor, const RunResult& run);

}  // namespace attnscope
