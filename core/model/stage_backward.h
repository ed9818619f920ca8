// Backward of an attention with edited scores or patterns: rows that edits cover or read go back stage
// by stage, all others as the streamed attention does (core/ops/attention_backward.cpp).
#pragma once

#include "core/ops/backward.h"
#include "core/trace/trace.h"

namespace attnscope {

/// The gradients of one edited row of one head: what arrives at each stage as it was recorded (after its
/// edits), and what leaves towards q and k.
struct StageGradients {
  std::array<Tensor, kScoreStages> stages;  ///< [key] each
  std::array<Tensor, kScoreStages> passed;  ///< the same before the edits of the stage
  Tensor bias;      ///< of what was added for the distance [key]; empty where nothing is added
  Tensor products;  ///< of q k^T before any edit [key]
  float sink = 0;   ///< of the row's sink, where it has one
};
/// Gradients from the edits of each head to the rows that they read.
using SentByHead = std::map<std::int64_t, StageEdits::Sent>;
/// `dz` [d_head] is the gradient of z of that row (a row of state.in); `sent` is of that head.
StageGradients stage_gradients(const AttentionState& state, std::int64_t head, std::int64_t row,
                               const Tensor& dz, const StageEdits::Sent& sent);

/// attend_backward() of a recorded attention, its edits included; dz and z are [head, query, d_head]. `sent`
/// is filled for heads with edits.
AttentionGrads attention_backward(const AttentionState& state, const Tensor& dz, const Tensor& z,
                                  SentByHead& sent);

}  // namespace attnscope
