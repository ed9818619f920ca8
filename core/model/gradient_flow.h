// Where a gradient came from: the later steps that were made from a step, what each of them sends back, and
// the parts of the ways that are no plain product (through a norm, a curve, a softmax, the cap of logits).
// All is computed anew from the Trace and the Gradients, for the rectangle that is asked for. Refuses
// nothing: where a run lacks a step the answer is empty.
#pragma once

#include <map>
#include <vector>

#include "core/model/gradients.h"

namespace attnscope {

/// Of every step with a gradient the later ones with gradients that were made from it; those that pass their
/// gradient on unchanged stand first.
std::map<Site, std::vector<Site>> gradient_readers(const Gradients& gradients);

/// How the gradient of `reader` comes back: the catalog's rule, a product where an MLP is gated.
Rule rule_back(const Trace& trace, const Site& reader);
/// The first step that a step was made from.
Site read_by(const Trace& trace, const Site& reader);

/// What `reader` alone sends back to a step -> [row, col], of head `head` where it has heads. The shares of
/// all readers add up to the gradient.
Tensor gradient_share(const Gradients& gradients, const Site& site, const Site& reader, std::int64_t head);

/// Planes of one shape added up, from number `first` on.
Tensor added_up(const std::vector<Tensor>& planes, std::size_t first = 0);

/// The way back through a norm: result = inverse * (g - mean - normed * mean_with), g = arrived * gain.
struct NormBack {
  bool centred = false;  ///< LayerNorm: with `mean`
  Tensor arrived;        ///< gradient of what left the norm [row, d]
  Tensor gain;           ///< what the norm multiplied by [1, d]
  Tensor inverse;        ///< 1 / what it divided by [row, 1]
  Tensor normed;         ///< x, centred and divided [row, d]
  Tensor mean;           ///< of g [row, 1]; zeros where it is not centred
  Tensor mean_with;      ///< of g * normed [row, 1], or what stands there where the scale was edited
  Tensor result;         ///< [row, d]
};
/// `norm` is the norm's result; `head` where it works on heads.
NormBack norm_back(const Gradients& gradients, const Site& norm, std::int64_t head, Range rows);

/// How steep an activation or a cap is at the numbers of the step before it -> [row, col].
Tensor curve_gradients(const Trace& trace, const Site& site, const Site& reader, std::int64_t head,
                       Range rows, Range cols);
/// Gradients of the product that logits are made by, before it is scaled and capped -> [row, vocab].
Tensor product_logit_gradients(const Gradients& gradients, Range rows, Range cols);
/// Rows of a pattern as the softmax left them, before edits of the pattern -> [query, key].
Tensor made_pattern(const Trace& trace, const Site& pattern, std::int64_t head, Range rows);
/// Sum over each row of pattern times its gradient, which the softmax takes away: [rows, 1].
Tensor pattern_row_sums(const Gradients& gradients, const Site& pattern, std::int64_t head, Range rows);

}  // namespace attnscope
