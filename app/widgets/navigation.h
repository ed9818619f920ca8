// Moves the cursor: by step of the timeline, by site, by cell. All panels and views use these functions, so
// that timeline, network map, stage and inspector agree. Sites that the run does not hold are ignored.
#pragma once

#include "app/look/colour.h"
#include "app/widgets/commands.h"
#include "core/session/session.h"

namespace attnscope {

/// Index of the cursor's step on the timeline; the nearest one if the run lacks it (0); -1 without steps.
int current_step(const Workspace& workspace, const RunResult& run);
/// Moves to a step, clamped: cursor.step becomes its main site, cursor.layer its block.
void go_to_step(Workspace& workspace, const RunResult& run, int index);
/// Moves to one site: cursor.step and cursor.layer. Does nothing when the run has no such step.
void go_to_site(Workspace& workspace, const RunResult& run, const Site& site);
/// Pins a cell: the cursor's step, block, head, query and key follow its coordinates.
void pin_cell(Workspace& workspace, const RunResult& run, const Cell& cell);

/// The index of a cell on its record's axes; empty where a coordinate is missing or the run lacks the step.
std::vector<std::int64_t> cell_index(const Trace& trace, const Cell& cell);
/// The cell at an index on the record's axes.
Cell cell_at(const Trace& trace, const Site& site, const std::vector<std::int64_t>& index);

/// The colour of a kind of steps, the same everywhere on screen.
ImU32 hue_colour(Hue hue);

}  // namespace attnscope
