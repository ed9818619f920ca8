// The first NaN or infinity of a run.
#pragma once

#include <optional>

#include "core/trace/trace.h"

namespace attnscope {

/// The first cell of a run, in the order of execution, that is NaN or infinite. Derived steps
/// (scores, patterns, logits) are not searched: what they make NaN appears in the next recorded step.
std::optional<Cell> first_broken(const Trace& trace);

}  // namespace attnscope
