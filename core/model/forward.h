// The forward pass of a stack of blocks, step by step in the order and the names of the paper.
#pragma once

#include "core/model/cone.h"
#include "core/trace/hook.h"

namespace attnscope {

struct Input;

/// Runs `input` through the model and records every step at `at`, where its trace does not share it already
/// (`cone`). The input has been checked.
void forward(const ModelConfig& config, const Weights& weights, const Input& input, const Hook& at,
             const Cone& cone);

}  // namespace attnscope
