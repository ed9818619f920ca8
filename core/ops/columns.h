// Sums down the columns of a matrix: the gradient of a weight that every row shares (bias, norm). Columns
// are shared out over the threads, each summed in double from the first row to the last.
#pragma once

#include <vector>

#include "core/ops/ops.h"
#include "core/ops/tiles.h"

namespace attnscope {

/// out[col] = sum over rows of term(row, col).
template <class Term>
Tensor column_sums(std::int64_t rows, std::int64_t cols, Axis axis, Term term) {
  constexpr std::int64_t kChunk = 64;
  Buffer out({{axis, cols}});
  const Cut chunks(cols, kChunk, kChunk);
  const auto one = [&, to = out.data()](std::int64_t chunk) {
    const std::int64_t begin = chunks.begin(chunk), end = chunks.end(chunk);
    double sums[kChunk] = {};
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t col = begin; col < end; ++col)
        sums[col - begin] += static_cast<double>(term(row, col));
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
