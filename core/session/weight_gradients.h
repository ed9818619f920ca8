// The gradients of weights by the rectangle and by the cell, separated by use: a table of tokens that is
// also the unembedding has two gradients. A use is multiplied out only for the requested rectangle.
#pragma once

#include <string>
#include <vector>

#include "core/model/gradient_provenance.h"
#include "core/trace/ties.h"

namespace attnscope {

/// The weights that a step's rule uses and that have a gradient: "blocks.0.attn.q.weight", ".bias".
std::vector<std::string> weights_of_step(const Gradients& gradients, const Site& site);

/// A use of a weight by a step, maybe under another name: a tied unembedding is the transposed table of
/// tokens.
struct WeightPart {
  const WeightUse* use = nullptr;
  Site step;                ///< that used it
  bool bias = false;        ///< the weight is the bias beside the use's product
  bool transposed = false;  ///< the use has it the other way round
  bool own = false;         ///< it is used under its own name
};
/// All uses of the numbers of a weight, its own first.
std::vector<WeightPart> weight_parts(const Gradients& gradients, const std::string& name);
/// Rectangle of the sum of these uses' gradients; a vector is one row.
Tensor weight_share(const Gradients& gradients, const std::string& name, const std::vector<WeightPart>& parts,
                    Range rows, Range cols);
/// Explains one number of the gradient of a weight: one share per use. Errors: a weight without a gradient,
/// no such cell.
Result<GradientExplanation> explain_weight_gradient(const Gradients& gradients, const std::string& name,
                                                    const std::vector<std::int64_t>& index);

/// One number of the gradient of a weight, all its uses added; NaN where it has none.
double weight_gradient_cell(const Gradients& gradients, const std::string& name,
                            const std::vector<std::int64_t>& index);

}  // namespace attnscope
