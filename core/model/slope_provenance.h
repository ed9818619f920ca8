// "Why this slope?": what each later step sends back to one cell, as sums of products with their numbers; the
// backward twin of core/trace/provenance.h. A test recomputes random cells of every slope of every family
// from what is returned here.
#pragma once

#include <string>
#include <vector>

#include "core/model/slope_flow.h"

namespace attnscope {

/// A number of a sum: the slope of a later step, a number of the run, a weight, or a number of the rule
/// ("1/σ", "mean g").
struct SlopeFactor {
  enum class Kind : std::uint8_t { slope, step, weight, number };
  Kind kind = Kind::number;
  std::string name;  ///< "blocks.0.attn.q.grad", "blocks.0.attn.q.weight", "1/σ"
  Site site;         ///< of a slope or a step
  std::vector<std::int64_t> index;
  double value = 0;
};

/// The product of its factors, taken away where `minus`.
struct SlopeTerm {
  bool minus = false;
  std::vector<SlopeFactor> factors;
  double value = 0;  ///< with its sign
};

/// What one later step (or one use of a weight) adds.
struct SlopeShare {
  Site from;
  Rule rule = Rule::copy;
  std::vector<SlopeTerm> terms;  ///< of thousands the largest, the others as one number "rest"
  double value = 0;
};

struct SlopeExplanation {
  std::vector<SlopeShare> shares;
  double result = 0;    ///< of the shares
  double recorded = 0;  ///< what the Gradients hold
};

/// Explains one cell of a step's slope by its `readers` (slope_readers; of the logits: none, the loss is
/// told). Errors: no such slope, index out of range.
Result<SlopeExplanation> explain_slope(const Gradients& gradients, const std::vector<Site>& readers,
                                       const Site& site, const std::vector<std::int64_t>& index);
/// What one reader adds to a cell that is there; no terms where it adds nothing.
SlopeShare explain_share(const Gradients& gradients, const Site& site, const Site& reader,
                         const std::vector<std::int64_t>& index);

}  // namespace attnscope
