// One plain sentence about a training run: how far it is, what its loss did, and how much is right.
#pragma once

#include "core/base/keyed_text.h"
#include "core/session/training.h"

namespace attnscope {

/// Points of the curve of the loss that stands beside the sentence.
inline constexpr int kSaidCurvePoints = 300;

/// The loss from the first point of that curve to the mean over the last few steps. "Fell" and "rose" go by
/// the numbers as they are written; of a finished run also what was measured on held-out examples.
Text training_said(const TrainingSnapshot& run, TrainingState state);

}  // namespace attnscope
