// A query that may look at nobody, in float32: what softmax makes of a row of nothing but -infinity, by the
// formula as it is written, with a large negative number in place of -infinity, and as this program does it.
#pragma once

#include "core/tensor/tensor.h"

namespace attnscope {

inline constexpr float kLargeNegative = -1e9f;  ///< what programs write in place of -infinity

struct MaskedSoftmax {
  Tensor entering;  ///< the scores with every hidden one at -inf [key]
  Tensor naive;     ///< exp(x - max) / sum: NaN everywhere where all are hidden
  Tensor filled;    ///< the same with kLargeNegative for -inf: an even spread where all are hidden
  Tensor safe;      ///< 0 where all are hidden
};
/// `scores` [key] and who may be seen [key] (1 = allowed). All three agree where one key at least is allowed.
MaskedSoftmax masked_softmax(const Tensor& scores, const Tensor& allowed);

}  // namespace attnscope
