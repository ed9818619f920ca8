#include "core/model/image_rows.h"

#include <algorithm>

namespace attnscope {

Tensor with_image_rows(const Tensor& words, const std::vector<int>& ids, std::int64_t first, int image_token,
                       const Tensor& image) {
  Buffer out({{Axis::pos, words.size(0)}, {Axis::d_model, words.size(1)}});
  std::int64_t next = std::count(ids.begin(), ids.begin() + first, image_token);
  for (std::int64_t pos = 0; pos < words.size(0); ++pos) {
    const bool seen = ids[static_cast<std::size_t>(first + pos)] == image_token && next < image.size(0);
    for (std::int64_t i = 0; i < words.size(1); ++i)
      out.data()[pos * words.size(1) + i] = seen ? image.at(next, i) : words.at(pos, i);
    next += seen ? 1 : 0;
  }
  return std::move(out).freeze();
}

Tensor with_class_row(const Tensor& row, const Tensor& patches) {
  const std::int64_t width = patches.size(1);
  Buffer out({{Axis::pos, patches.size(0) + 1}, {Axis::d_model, width}});
  for (std::int64_t i = 0; i < width; ++i) out.data()[i] = row.at(0, i);
  for (std::int64_t pos = 0; pos < patches.size(0); ++pos)
    for (std::int64_t i = 0; i < width; ++i) out.data()[(pos + 1) * width + i] = patches.at(pos, i);
  return std::move(out).freeze();
}

}  // namespace attnscope
