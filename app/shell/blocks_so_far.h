// While a run of a long input is under way: the patterns of the blocks that are computed, growing block by
// block, and how long the rest will take.
#pragma once

#include <string>

#include "app/gpu/painter.h"
#include "app/state/frame_state.h"

namespace attnscope {

/// There are pictures of the run under way, and nothing else to show of its tokens.
bool has_blocks_so_far(const Session& session);
/// Draws them into the rest of the window: a row for each block, a column for each head. A click looks at
/// that head once the run is over. False where there are none.
bool draw_blocks_so_far(FrameState& state, Painter& painter);
/// A run was cancelled before there was a result: says so, with a button that begins again. False where not.
bool draw_run_stopped(FrameState& state);
/// "about 4 s left"; empty where that is not known.
std::string run_time_left(const Session& session);

}  // namespace attnscope
