// The forward pass of a stack of blocks, step by step as the paper writes it.
#pragma once

#include "core/model/kv_cache.h"
#include "core/trace/probe.h"

namespace attnscope {

struct Input;

/// Runs `input` through the model and records every step at `at`. The input has been checked.
void forward(const ModelConfig& config, const Weights& weights, const Input& input, const Probe& at,
             std::int64_t first_pos, KvCache* cache);

}  // namespace attnscope
