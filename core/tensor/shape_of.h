// The shape of a tensor as one is made with: axes and sizes.
#pragma once

#include "core/tensor/tensor.h"

namespace attnscope {

/// Axes and sizes of a tensor.
inline Shape shape_of(const Tensor& tensor) {
  Shape shape;
  for (int d = 0; d < tensor.rank(); ++d) shape.emplace_back(tensor.axis(d), tensor.size(d));
  return shape;
}

}  // namespace attnscope
