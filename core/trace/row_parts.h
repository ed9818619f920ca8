// What stands between the input and the result of a rule that works on rows: maxima, exponentials and sums of
// a softmax; means of a norm. By the same definitions as core/ops, so that the
// parts on the screen multiply up to the recorded result. Computes from the given rows alone, not from the
// Trace.
#pragma once

#include "core/trace/trace.h"

namespace attnscope {

/// Of rows [row, col]; -inf cells are masked and have exponential 0. `sinks` [row, 1] count in maximum and
/// sum.
struct SoftmaxParts {
  Tensor high;         ///< [row, 1] the largest of each row; -inf where the row is fully masked
  Tensor exponential;  ///< [row, col] exp(x - high)
  Tensor sum;          ///< [row, 1]
};
SoftmaxParts softmax_parts(const Tensor& rows, const Tensor& sinks = {});

/// The mean that the norm subtracts -> [row, 1]; zeros for RMSNorm, which subtracts nothing.
Tensor norm_means(const Tensor& rows, const NormSpec& spec);

/// What the norm divides each row by -> [row, 1]; ones for no norm.
Tensor norm_scales(const Tensor& rows, const NormSpec& spec);

}  // namespace attnscope
