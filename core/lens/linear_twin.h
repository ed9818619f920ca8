// The exact linear twin of a run (Golden 2025, "Equivalent Linear Mappings of Large Language Models"): with
// attention patterns, norm scales and gates held as they were, everything from the embeddings to a logit is
// linear, so that the measure is a sum of one addend for each row of the input and one of all biases.
// Computed in double, forward and backward; both agree to rounding. Plain MLPs hold act(x)/x of each neuron,
// gated ones act(gate). Edits of steps are carried out in it; the numbers that they put there count as
// biases. Errors: measures that are no logits, runs without their steps or weights, edits of logits, and
// paths that are cut into values, MLPs or logits.
#pragma once

#include "core/lens/attribution.h"

namespace attnscope {

struct LinearTwin {
  double run = 0;    ///< the measure, as the run has it (float32)
  double total = 0;  ///< the measure of the twin: its forward pass in double
  double rest = 0;   ///< total minus the sum of the parts: rounding
  /// token: "embed" at each row ([pos=3]; token and position together), of an encoder "enc.embed"; else as
  /// attribute(): what embedding, heads, MLPs or neurons write into the row of the measure. Last: "bias".
  std::vector<LogitPart> parts;
  std::vector<std::string> held;  ///< "blocks.0.attn.pattern", "blocks.0.ln1.scale", "blocks.0.mlp.post"
};

Result<LinearTwin> linear_twin(const Trace& trace, const LogitMeasure& measure, AttributeBy by);

}  // namespace attnscope
