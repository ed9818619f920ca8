// Models with weights from a formula, to measure with where no checkpoint is at hand.
#pragma once

#include "core/arch/open.h"

namespace attnscope {

inline constexpr const char* kRandomModel = "random:gpt2-small";
/// Prefix of a name that opens a random model of its shape: kRandomModel, or a preset (presets.h).
inline constexpr std::string_view kRandomPrefix = "random:";

/// 12 blocks, 12 heads, width 768, vocabulary 50257, 1024 positions, tied head: 124 million weights.
Result<OpenedModel> random_gpt2_small();

/// A model of any shape with weights from a formula: matrices evenly spread around 0, norms 1, biases 0.
/// Errors: sizes that contradict each other.
Result<OpenedModel> random_model(ModelConfig config, const std::vector<WeightShape>& shapes);

}  // namespace attnscope
