// Where numbers of a run stop being numbers. Refuses nothing.
#pragma once

#include <optional>

#include "core/trace/trace.h"

namespace attnscope {

/// The first number of a run, in the order of execution, that is NaN or infinite; steps that follow from
/// others by themselves (scores, patterns, logits) are told by what they hand on.
std::optional<Cell> first_broken(const Trace& trace);

}  // namespace attnscope
