// Speed of training at the size of a million weights, beside this machine's sgemm.
#pragma once

#include "core/base/result.h"

namespace attnscope::cli {

inline constexpr const char* kTrainingBench = "training";

/// Trains the Storyteller with 5 layers of width 128 (a million weights) for some steps of 32 sequences, and
/// multiplies the same matrices at the same sizes alone. Prints both as shares of sgemm's best.
Status bench_training(bool json);

}  // namespace attnscope::cli
