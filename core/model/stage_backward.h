// Back through an attention whose scores or patterns were edited: edited rows go back stage by stage, all
// others as the streamed attention does. Refuses nothing: operands of stage edits are numbers.
#pragma once

#include "core/ops/backward.h"
#include "core/trace/trace.h"

namespace attnscope {

/// The gradients of one edited row of one head: what arrives at each stage as it was recorded (after its
/// edits), and what leaves towards q and k.
struct StageGradients {
  std::array<Tensor, kScoreStages> stages;  ///< [key] each
  Tensor bias;      ///< of what was added for the distance [key]; empty where nothing is added
  Tensor products;  ///< of q k^T before any edit [key]
};
/// `dz` [d_head] is the gradient of z of that row (a row of state.in).
StageGradients stage_gradients(const AttentionState& state, std::int64_t head, std::int64_t row,
                               const Tensor& dz);

/// attend_backward() of a recorded attention, its edits included; dz and z are [head, query, d_head].
AttentionGrads attention_backward(const AttentionState& state, const Tensor& dz, const Tensor& z);

}  // namespace attnscope
