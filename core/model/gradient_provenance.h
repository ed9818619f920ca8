// "Why this gradient?": what each later step contributes to one cell, as sums of products with their numbers;
// the backward twin of core/trace/provenance.h. A test recomputes random cells of every gradient of every
// family from what is returned here.
#pragma once

#include <string>
#include <vector>

#include "core/model/gradient_flow.h"

namespace attnscope {

/// A number of a sum: the gradient of a later step, a number of the run, a weight, or a number of the rule
/// ("1/σ", "mean g").
struct GradientFactor {
  enum class Kind : std::uint8_t { gradient, step, weight, number };
  Kind kind = Kind::number;
  std::string name;  ///< "blocks.0.attn.q.grad", "blocks.0.attn.q.weight", "1/σ"
  Site site;         ///< of a gradient or a step
  std::vector<std::int64_t> index;
  double value = 0;
};

/// The product of its factors, subtracted where `minus`.
struct GradientTerm {
  bool minus = false;
  std::vector<GradientFactor> factors;
  double value = 0;  ///< with its sign
};

/// The contribution of one later step (or one use of a weight).
struct GradientShare {
  Site from;
  Rule rule = Rule::copy;
  std::vector<GradientTerm> terms;  ///< of thousands the largest, the others as one number "rest"
  double value = 0;
};

struct GradientExplanation {
  std::vector<GradientShare> shares;
  double result = 0;    ///< of the shares
  double recorded = 0;  ///< what the Gradients hold
};

/// Explains one cell of a step's gradient by its `readers` (gradient_readers; the logits have none, their
/// share is the loss). Errors: no such gradient, index out of range.
Result<GradientExplanation> explain_gradient(const Gradients& gradients, const std::vector<Site>& readers,
                                             const Site& site, const std::vector<std::int64_t>& index);
/// The other factor of the product that a gated MLP makes of its activated gate and its up projection.
Site other_factor(const Site& factor);
/// The contribution of one reader to a cell; no terms where it has none.
GradientShare explain_share(const Gradients& gradients, const Site& site, const Site& reader,
                            const std::vector<std::int64_t>& index);

}  // namespace attnscope
