// Which boxes of the map an edit of the run changes: numbers of their steps or weights, a mask, a part that
// was exchanged.
#pragma once

#include "app/panels/network/network_layout.h"

namespace attnscope {

/// The edits of one sequence that are switched on and change what a box stands for, as they are typed; a
/// folded box stands for all of its blocks, a header for nothing.
std::vector<std::string> edits_of(const NetworkBox& box, const RunResult& run, int sequence);

}  // namespace attnscope
