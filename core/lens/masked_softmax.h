// A fully masked row in float32: the softmax of a row of nothing but -infinity, by the
// formula as it is written, with a large negative number in place of -infinity, and as this program does it.
#pragma once

#include "core/tensor/tensor.h"

namespace attnscope {

inline constexpr float kLargeNegative = -1e9f;  ///< what programs write in place of -infinity

struct MaskedSoftmax {
  Tensor entering;  ///< the scores with every masked one at -inf [key]
  Tensor naive;     ///< exp(x - max) / sum: NaN everywhere where all are masked
  Tensor filled;    ///< the same with kLargeNegative for -inf: uniform where all are masked
  Tensor safe;      ///< 0 where all are masked
};
/// `scores` [key] and the mask [key] (1 = allowed). All three agree where one key at least is allowed.
MaskedSoftmax masked_softmax(const Tensor& scores, const Tensor& allowed);

}  // namespace attnscope
