// Where an image stands among the rows of a stack.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tensor/tensor.h"

namespace attnscope {

/// Rows of the image [patch, d_model] in the places that the ids keep for them; `words` [pos, d_model] are
/// the rows from `first` on.
Tensor with_image_rows(const Tensor& words, const std::vector<int>& ids, std::int64_t first, int image_token,
                       const Tensor& image);
/// The class token [1, d_model] before the patches [patch, d_model].
Tensor with_class_row(const Tensor& row, const Tensor& patches);

}  // namespace attnscope
