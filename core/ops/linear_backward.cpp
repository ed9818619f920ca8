// Backward of products with weights and of table rows.
#include <algorithm>

#include "core/ops/backward.h"
#include "core/ops/columns.h"
#include "core/ops/kernels.h"
#include "core/ops/product.h"

namespace attnscope {
namespace {

// a^T b for a [k, m], b [k, n] -> [m, n].
Tensor product_of_columns(const Tensor& a, const Tensor& b) {
  const std::int64_t m = a.size(1), n = b.size(1);
  Buffer out({{a.axis(1), m}, {b.axis(1), n}});
  multiply({a.data(), 1, a.stride(0), nullptr, out.data(), n, m, n, a.size(0)},
           Right(b.data(), b.stride(0), false));
  return std::move(out).freeze();
}

}  // namespace

LinearGrads linear_backward_weights(const Tensor& dy, const Tensor& x, const Tensor& w, const Tensor& bias) {
  CHECK(dy.rank() == 2 && x.rank() == 2 && w.rank() == 2);
  CHECK(dy.size(0) == x.size(0) && x.size(1) == w.size(0) && dy.size(1) == w.size(1));
  const Tensor dy_rows = with_whole_rows(dy), rows = with_whole_rows(x);
  LinearGrads grads;
  const bool transposed = w.stride(0) == 1 && w.size(1) > 1;
  grads.w = transposed ? product_of_columns(dy_rows, rows).transpose() : product_of_columns(rows, dy_rows);
  grads.w = grads.w.rename({w.axis(0), w.axis(1)});  // [in, out]
  if (!bias.empty())
    grads.bias = column_sums(dy.size(0), dy.size(1), bias.axis(0),
                             [from = dy_rows.data(), step = dy_rows.stride(0)](auto row, auto col) {
                               return from[row * step + col];
                             });
  return grads;
}

LinearGrads linear_backward(const Tensor& dy, const Tensor& x, const Tensor& w, const Tensor& bias) {
  LinearGrads grads = linear_backward_weights(dy, x, w, bias);
  grads.x = linear(with_whole_rows(dy), w.transpose(), {}, x.axis(1));  // [pos, in]
  return grads;
}

Tensor gather_rows_backward(const Tensor& dy, const std::vector<int>& ids, std::int64_t rows) {
  CHECK(dy.rank() == 2 && dy.size(0) == static_cast<std::int64_t>(ids.size()));
  const Tensor from = with_whole_rows(dy);
  const std::int64_t width = dy.size(1);
  Buffer out({{Axis::vocab, rows}, {dy.axis(1), width}});
  std::fill(out.data(), out.data() + out.count(), 0.f);
  for (std::size_t pos = 0; pos < ids.size(); ++pos) {
    CHECK(ids[pos] >= 0 && ids[pos] < rows);
    kernels().add_row(out.data() + ids[pos] * width,
                      from.data() + static_cast<std::int64_t>(pos) * from.stride(0), width);
  }
  return std::move(out).freeze();
}

Tensor cut_patches_backward(const Tensor& dy, std::int64_t size, std::int64_t channels, std::int64_t across) {
  CHECK(dy.rank() == 2 && dy.size(1) == channels * size * size && across > 0 && dy.size(0) % across == 0);
  const std::int64_t height = dy.size(0) / across * size, width = across * size;
  Buffer out({{Axis::none, channels}, {Axis::none, height}, {Axis::none, width}});  // [channel, row, column]
  float* to = out.data();
  for (std::int64_t channel = 0; channel < channels; ++channel)
    for (std::int64_t y = 0; y < height; ++y)
      for (std::int64_t x = 0; x < width; ++x)
        *to++ = dy.at(y / size * across + x / size, (channel * size + y % size) * size + x % size);
  return std::move(out).freeze();
}

}  // namespace attnscope
