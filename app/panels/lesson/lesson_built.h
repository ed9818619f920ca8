// Questions that are answered by setting numbers of weights, or by looking into a run with a fault.
#pragma once

#include "app/state/frame_state.h"

namespace attnscope {

/// The goals, each with what it is now, and a slider for each number.
void draw_build(FrameState& state, const ChangeAsk& ask);
/// What may be looked at, with the numbers of what was; `ask` is a probe.
void draw_looks(FrameState& state, const ChoiceAsk& ask);
/// Once the fault is known: puts it into what is open.
void draw_fault_button(FrameState& state);

}  // namespace attnscope
