// Training throughput of a model with a million parameters, compared with this machine's sgemm.
#pragma once

#include "core/base/result.h"

namespace attnscope::cli {

inline constexpr const char* kTrainingBench = "training";

/// Trains the Storyteller (5 layers, d_model 128, a million parameters) for some steps of 32 sequences, and
/// times the same matmuls alone. Prints both as shares of peak sgemm.
Status bench_training(bool json);

}  // namespace attnscope::cli
