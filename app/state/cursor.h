// Keeps the cursor inside the run, and moves it by block, head and step for the keyboard. Other moves are in
// app/widgets/navigation.h.
#pragma once

#include "app/widgets/commands.h"

namespace attnscope {

/// Clamps sequence, layer, head, query and key to the run; a step that the run lacks becomes the nearest one;
/// a pinned cell outside the run is unpinned.
void tidy_cursor(Cursor& cursor, const RunResult& run);
/// Initial cursor of a newly opened model's first run.
Cursor first_cursor(const RunResult& run);
/// Moves by `by` steps of the timeline; false at its ends.
bool walk(Workspace& workspace, const RunResult& run, int by);
/// Moves by blocks, across the ends of a stack into the next one; the step keeps its slot.
void move_layer(Cursor& cursor, const RunResult& run, int by);
void move_head(Cursor& cursor, const RunResult& run, int by);
/// Number of blocks in the cursor's stack, at least 1.
int layer_count(const Cursor& cursor, const RunResult& run);
/// Number of heads in the cursor's attention, at least 1.
int head_count(const Cursor& cursor, const RunResult& run);

}  // namespace attnscope
