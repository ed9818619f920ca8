// "Why this number?": which cells a cell was computed from, and the sum spelled out. The rule comes from the
// catalog; a test recomputes random cells of every step from what is returned here.
#pragma once

#include <string>
#include <vector>

#include "core/trace/trace.h"

namespace attnscope {

/// A cell that another was computed from: a step of the run, or a weight.
struct Source {
  std::string name;  ///< "blocks.0.attn.split_q" or "blocks.0.attn.q.weight"
  Site site;         ///< valid unless is_weight
  bool is_weight = false;
  std::vector<std::int64_t> index;
  double value = 0;
};

/// One addend: the product of its factors (one factor for a plain sum).
struct Term {
  std::vector<Source> factors;
  double value = 0;  ///< what it adds
};

/// A named intermediate number of a rule: "max", "sum", "mean", "scale", "factor", "cos", "sin".
struct Aside {
  std::string name;
  double value = 0;
};

struct Explanation {
  Rule rule = Rule::copy;
  Cell cell;
  std::vector<Term> terms;  ///< for dot, sum, rotate: they add up; for softmax: the row; else the inputs
  std::vector<Aside> asides;
  double result = 0;    ///< recomputed here in double precision
  double recorded = 0;  ///< what the Trace holds
  bool edited = false;  ///< an intervention replaced the number: the rule does not explain it
  /// Index among terms of the one that stands for this cell itself (softmax), or -1.
  int own = -1;
};

/// Explains one cell of a step. Errors: no such step, index out of range.
Result<Explanation> explain(const Trace& trace, const Site& site, const std::vector<std::int64_t>& index);

}  // namespace attnscope
