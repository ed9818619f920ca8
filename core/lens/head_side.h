// What stands between a head's projection and its scores: the norm of queries or keys, held at the scale that
// it had in the run, and the rotation at a row's position. Both are linear, and both go backwards.
#pragma once

#include <vector>

#include "core/trace/trace.h"

namespace attnscope {

/// Of a step of the attention, `hue` query or key; a row of the head's projection as the scores read it.
void through_head_side(const Trace& trace, const Site& pattern, Hue hue, std::int64_t head, std::int64_t row,
                       std::vector<double>& values);
/// A direction over what the scores read as one over the head's projection.
void back_through_head_side(const Trace& trace, const Site& pattern, Hue hue, std::int64_t head,
                            std::int64_t row, std::vector<double>& values);

}  // namespace attnscope
