// Where a gradient came from: the later steps that read a step, what each of them contributes, and
// the local derivatives that are no plain product (of a norm, an activation, a softmax, the cap of logits).
// All is computed from the Trace and the Gradients on demand, for the requested rectangle. Where a
// run lacks a step the result is empty.
#pragma once

#include <map>
#include <vector>

#include "core/model/gradients.h"

namespace attnscope {

/// For every step with a gradient its readers: the later steps with gradients that read it; those that pass
/// their gradient on unchanged stand first.
std::map<Site, std::vector<Site>> gradient_readers(const Gradients& gradients);

/// How the gradient flows back through `reader`: the catalog's rule, a product where an MLP is gated.
Rule rule_back(const Trace& trace, const Site& reader);
/// The first input of a step.
Site read_by(const Trace& trace, const Site& reader);

/// What `reader` alone contributes to the gradient -> [row, col], of head `head` where it has heads. The
/// contributions of all readers add up to the gradient.
Tensor gradient_share(const Gradients& gradients, const Site& site, const Site& reader, std::int64_t head);

/// Sum of planes of one shape, from number `first` on.
Tensor added_up(const std::vector<Tensor>& planes, std::size_t first = 0);

/// Backward of a norm: result = inverse * (g - mean - normed * mean_with), g = arrived * gain.
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

/// The derivative of an activation or a cap at its input -> [row, col].
Tensor curve_gradients(const Trace& trace, const Site& site, const Site& reader, std::int64_t head,
                       Range rows, Range cols);
/// Gradients of the logits before they are scaled and capped -> [row, vocab].
Tensor product_logit_gradients(const Gradients& gradients, Range rows, Range cols);
/// Rows of a pattern as the softmax left them, before edits of the pattern -> [query, key].
Tensor made_pattern(const Trace& trace, const Site& pattern, std::int64_t head, Range rows);
/// Sum over each row of pattern times its gradient, which softmax's backward subtracts: [rows, 1].
Tensor pattern_row_sums(const Gradients& gradients, const Site& pattern, std::int64_t head, Range rows);
/// What the softmax gave each row's sink: what the keys leave of 1 -> [rows, 1].
Tensor sink_shares(const Trace& trace, const Site& pattern, std::int64_t head, Range rows);

}  // namespace attnscope
