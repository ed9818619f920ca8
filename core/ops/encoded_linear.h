// Products with weights that stay as the file stores them. Refuses weights in memory: linear() has those.
#pragma once

#include "core/ops/ops.h"

namespace attnscope {

/// As linear(), for an encoded w [in, out]: each thread expands one panel of output columns at a time into
/// scratch memory of its own (about 1 MB), multiplies all rows of x with it and forgets it.
Tensor encoded_linear(const Tensor& x, const Tensor& w, const Tensor& bias, Axis out_axis);

}  // namespace attnscope
