// Products with encoded weights: weights that stay as the file stores them, or that have
// cells set by hand. Weights in memory are for multiply().
#pragma once

#include "core/ops/product.h"

namespace attnscope {

/// `product` with an encoded w [k, n], whose values are decoded for it a few hundred at a time. Where they
/// lie in memory under what was set by hand, only the columns that were touched go this way.
void multiply_encoded(const Product& product, const Tensor& w);

}  // namespace attnscope
