// Products with weights, in the layout in which the file left them: Conv1D's [in, out], a column slice of it,
// or Linear's [out, in] seen transposed; and with values by a pattern. Every cell is one chain of fused steps
// in the order of the inner axis (kernels.h), so rows and columns have the same bits alone and together.
#include <algorithm>
#include <atomic>
#include <cmath>

#include "core/ops/columns.h"
#include "core/ops/encoded_linear.h"
#include "core/ops/hidden.h"
#include "core/ops/kernels.h"
#include "core/ops/op_count.h"
#include "core/ops/ops.h"
#include "core/ops/product.h"
#include "core/ops/tiles.h"

namespace attnscope {

Tensor linear(const Tensor& x, const Tensor& w, const Tensor& bias, Axis out_axis) {
  CHECK(x.rank() == 2 && w.rank() == 2 && x.size(1) == w.size(0));
  CHECK(bias.empty() || (bias.rank() == 1 && bias.size(0) == w.size(1)));
  const Tensor rows = with_whole_rows(x), offset = bias.packed();
  Buffer out({{x.axis(0), x.size(0)}, {out_axis, w.size(1)}});  // [pos, out]
  const Product product{rows.data(), rows.stride(0), 1,         offset.data(), out.data(),
                        w.size(1),   x.size(0),      w.size(1), w.size(0)};
  if (OpCount* const count = op_count()) count->products += product.m * product.n * product.k;
  if (w.is_encoded())
    multiply_encoded(product, w);
  else
    multiply(product, Right(w));
  return std::move(out).freeze();
}

Tensor weighted_sum(const Tensor& pattern, const Tensor& v) {
  CHECK(pattern.rank() == 2 && v.rank() == 2 && pattern.size(1) == v.size(0));
  const Tensor weights = with_whole_rows(pattern), values = with_whole_rows(v);
  const std::int64_t width = v.size(1), keys = v.size(0);
  Buffer out({{pattern.axis(0), pattern.size(0)}, {v.axis(1), width}});  // [query, d_head]
  multiply({weights.data(), weights.stride(0), 1, nullptr, out.data(), width, pattern.size(0), width, keys},
           Right(values));
  for (std::int64_t query = 0; query < pattern.size(0); ++query) {
    float* const row = out.data() + query * width;
    if (all_finite(row, width)) continue;
    std::fill_n(row, width, 0.f);
    add_seen_values(weights.data() + query * weights.stride(0), {values.data(), values.stride(0)}, keys,
                    width, row);
  }
  return std::move(out).freeze();
}

double fused_burst(std::int64_t steps) {
  const Kernels& kernel = kernels();
  const std::int64_t pieces = 8 * thread_count(), each = steps / pieces + 1;
  std::atomic<float> keep{0};
  for_each_tile(pieces, [&](std::int64_t) { keep = keep + kernel.fused_burst(each); });
  return 2.0 * 12.0 * static_cast<double>(kernel.width * each * pieces);
}

void sgemm(const float* a, const float* b, float* c, std::int64_t m, std::int64_t n, std::int64_t k) {
  multiply({a, k, 1, nullptr, c, n, m, n, k}, Right(b, n, false));
}

double stream_read(const float* values, std::int64_t count) {
  const Kernels& kernel = kernels();
  const Cut pieces(count, 1 << 16, 64);
  std::atomic<double> total{0};
  for_each_tile(pieces.count, [&](std::int64_t tile) {
    const float* from = values + pieces.begin(tile);
    total.fetch_add(static_cast<double>(kernel.dot(from, from, pieces.end(tile) - pieces.begin(tile))));
  });
  return total;
}

}  // namespace attnscope
