// The values of any one step of a run as a figure: a matrix with the names of its rows and columns.
#pragma once

#include <string>

#include "core/view/view.h"

namespace attnscope {

/// `step`: "blocks.0.attn.q"; of steps with heads the head of `state`. Errors: no such step in this run, one
/// with too many numbers for a picture.
Result<figure::Figure> step_figure(const ViewState& state, const std::string& step, bool titled);

}  // namespace attnscope
