// Which boxes of the map are changed by the run's edits: values of their steps or weights, a mask, an
// exchanged part.
#pragma once

#include "app/panels/network/network_layout.h"

namespace attnscope {

/// The enabled edits of one sequence that change what a box contains, as text; for a folded box those of all
/// its blocks, for a header none.
std::vector<std::string> edits_of(const NetworkBox& box, const RunResult& run, int sequence);

}  // namespace attnscope
