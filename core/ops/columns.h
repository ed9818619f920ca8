// Sums down the columns of a matrix: the gradient of a weight that every row shares (bias, norm). Columns
// are shared out over the threads, each summed in double from the first row to the last.
#pragma once

#include <vector>

#include "core/ops/ops.h"
#include "core/ops/tiles.h"

namespace attnscope {

inline constexpr std::int64_t kSumColumns = 128;  ///< that one call of `add` sees at most

/// out[col] = sum over rows of what add(sums, row, begin, count) adds to `sums` for columns [begin, begin +
/// count).
template <class Add>
Tensor column_sums(std::int64_t rows, std::int64_t cols, Axis axis, Add add) {
  Buffer out({{axis, cols}});
  const Cut chunks(cols, kSumColumns, kSumColumns);
  const auto one = [&, to = out.data()](std::int64_t chunk) {
    const std::int64_t begin = chunks.begin(chunk), end = chunks.end(chunk);
    double sums[kSumColumns] = {};
    for (std::int64_t row = 0; row < rows; ++row) add(sums, row, begin, end - begin);
    for (std::int64_t col = begin; col < end; ++col) to[col] = static_cast<float>(sums[col - begin]);
  };
  if (rows * cols >= (1 << 15))
    for_each_tile(chunks.count, one);
  else
    for (std::int64_t chunk = 0; chunk < chunks.count; ++chunk) one(chunk);
  return std::move(out).freeze();
}

/// x [row, col] itself, or a copy where a row has gaps.
inline Tensor with_whole_rows(const Tensor& x) {
  return !x.is_encoded() && (x.stride(1) == 1 || x.size(1) == 1) ? x : x.packed();
}

}  // namespace attnscope
