// Products with weights, in the layout in which the file left them: Conv1D's [in, out], a column slice of it,
// or Linear's [out, in] seen transposed. Few rows are bound by memory and read the weights once; many go by
// tiles. How a product is cut follows from its shape only, so any number of threads gives the same bits.
#include <algorithm>
#include <cmath>

#include "core/ops/columns.h"
#include "core/ops/encoded_linear.h"
#include "core/ops/kernels.h"
#include "core/ops/ops.h"
#include "core/ops/tiles.h"

namespace attnscope {
namespace {

constexpr std::int64_t kFewRows = 4;

// A matrix [k, n] as the kernels take it.
struct Factor {
  const float* data;
  std::int64_t ld;
  bool transposed;  // stored as [n, k]
  Tensor keep;      // owns a packed copy, if one was needed

  explicit Factor(const Tensor& w) : data(w.data()), ld(w.stride(0)), transposed(false), keep(w) {
    if (w.stride(1) == 1 || w.size(1) == 1) return;
    if (w.stride(0) == 1 || w.size(0) == 1) {
      ld = w.stride(1);
      transposed = true;
      return;
    }
    keep = w.packed();
    data = keep.data();
    ld = keep.stride(0);
  }
  Factor(const float* values, std::int64_t row_step) : data(values), ld(row_step), transposed(false) {}
};

// One product y [m, n] = x [m, k] w [k, n] + bias [n].
struct Product {
  const float* x;
  std::int64_t ldx;
  const Factor& w;
  const float* bias;  // null: none
  float* y;           // rows n apart
  std::int64_t m, n, k;
};

// Fills rows [row, row_end) x columns [col, col_end) of y with the bias.
void start_with_bias(const Product& p, std::int64_t row, std::int64_t row_end, std::int64_t col,
                     std::int64_t col_end) {
  for (; row < row_end; ++row) {
    float* y = p.y + row * p.n;
    if (p.bias)
      std::copy(p.bias + col, p.bias + col_end, y + col);
    else
      std::fill(y + col, y + col_end, 0.f);
  }
}

// Tiny products are not worth waking the other threads.
template <class Body>
void run_tiles(const Product& p, std::int64_t count, Body body) {
  if (p.m * p.n * p.k >= (1 << 16)) return for_each_tile(count, body);
  for (std::int64_t tile = 0; tile < count; ++tile) body(tile);
}

void multiply_by_tiles(const Product& p) {
  const Kernels& kernel = kernels();
  const Cut rows(p.m, 256, 16), cols(p.n, 384, 16);
  run_tiles(p, rows.count * cols.count, [&](std::int64_t tile) {
    const std::int64_t row = rows.begin(tile % rows.count), row_end = rows.end(tile % rows.count);
    const std::int64_t col = cols.begin(tile / rows.count), col_end = cols.end(tile / rows.count);
    start_with_bias(p, row, row_end, col, col_end);
    const float* w = p.w.data + col * (p.w.transposed ? p.w.ld : 1);
    kernel.gemm(p.x + row * p.ldx, p.ldx, w, p.w.ld, p.w.transposed, p.y + row * p.n + col, p.n,
                row_end - row, col_end - col, p.k);
  });
}

// [out, in] weights: each output is one dot product along a row of the file.
void multiply_by_dots(const Product& p) {
  const Kernels& kernel = kernels();
  const Cut cols(p.n, std::max<std::int64_t>(16, (1 << 16) / std::max<std::int64_t>(1, p.k)), 1);
  run_tiles(p, cols.count, [&](std::int64_t tile) {
    for (std::int64_t col = cols.begin(tile); col < cols.end(tile); ++col)
      for (std::int64_t row = 0; row < p.m; ++row)
        p.y[row * p.n + col] =
            kernel.dot(p.x + row * p.ldx, p.w.data + col * p.w.ld, p.k) + (p.bias ? p.bias[col] : 0.f);
  });
}

// [in, out] weights: blocks of long weight rows, so that memory is read in order; each block leaves a partial
// sum of its outputs, and these are added in the order of the blocks.
void multiply_by_blocks(const Product& p) {
  const Kernels& kernel = kernels();
  constexpr std::int64_t kRowsAtATime = 16;  // stay in the cache for the next row of x
  const Cut cols(p.n, 4096, 64);             // outputs stay in the first cache
  const std::int64_t rows_per_megabyte = (1 << 18) / cols.piece;
  const Cut blocks(p.k, std::max(kRowsAtATime, std::min(rows_per_megabyte, p.k / 8)), kRowsAtATime);
  const std::int64_t size = p.m * p.n;
  std::vector<float> partial(static_cast<std::size_t>(blocks.count * size));  // [block, row, out]
  const auto one = [&](std::int64_t tile) {
    const std::int64_t block = tile / cols.count, col = cols.begin(tile % cols.count);
    const std::int64_t width = cols.end(tile % cols.count) - col;
    for (std::int64_t in = blocks.begin(block); in < blocks.end(block); in += kRowsAtATime)
      for (std::int64_t row = 0; row < p.m; ++row)
        kernel.gemv_columns(p.x + row * p.ldx + in, p.w.data + in * p.w.ld + col, p.w.ld,
                            partial.data() + block * size + row * p.n + col,
                            std::min(kRowsAtATime, blocks.end(block) - in), width);
  };
  run_tiles(p, blocks.count * cols.count, one);
  start_with_bias(p, 0, p.m, 0, p.n);
  const std::vector<float> ones(static_cast<std::size_t>(blocks.count), 1.f);
  kernel.gemv_columns(ones.data(), partial.data(), size, p.y, blocks.count, size);
}

void multiply(const Product& p) {
  if (p.m > kFewRows)
    multiply_by_tiles(p);
  else if (p.w.transposed)
    multiply_by_dots(p);
  else
    multiply_by_blocks(p);
}

bool all_finite(const float* values, std::int64_t count) {
  return std::all_of(values, values + count, [](float v) { return std::isfinite(v); });
}

// pattern v where zeros of the pattern skip their row of v.
void weigh_skipping_zeros(const Tensor& pattern, const Tensor& v, float* out) {
  const std::int64_t width = v.size(1);
  for (std::int64_t query = 0; query < pattern.size(0); ++query) {
    float* row = out + query * width;
    std::fill(row, row + width, 0.f);
    for (std::int64_t key = 0; key < pattern.size(1); ++key) {
      const float weight = pattern.at(query, key);
      if (weight == 0.f) continue;
      for (std::int64_t d = 0; d < width; ++d) row[d] += weight * v.at(key, d);
    }
  }
}

}  // namespace

Tensor linear(const Tensor& x, const Tensor& w, const Tensor& bias, Axis out_axis) {
  CHECK(x.rank() == 2 && w.rank() == 2 && x.size(1) == w.size(0));
  CHECK(bias.empty() || (bias.rank() == 1 && bias.size(0) == w.size(1)));
  if (w.is_encoded()) return encoded_linear(x, w, bias, out_axis);
  const Tensor rows = with_whole_rows(x), offset = bias.packed();
  const Factor factor(w);
  Buffer out({{x.axis(0), x.size(0)}, {out_axis, w.size(1)}});  // [pos, out]
  multiply({rows.data(), rows.stride(0), factor, offset.data(), out.data(), x.size(0), w.size(1), w.size(0)});
  return std::move(out).freeze();
}

Tensor weighted_sum(const Tensor& pattern, const Tensor& v) {
  CHECK(pattern.rank() == 2 && v.rank() == 2 && pattern.size(1) == v.size(0));
  const Tensor weights = with_whole_rows(pattern);
  const Factor factor(v);
  Buffer out({{pattern.axis(0), pattern.size(0)}, {v.axis(1), v.size(1)}});  // [query, d_head]
  multiply({weights.data(), weights.stride(0), factor, nullptr, out.data(), pattern.size(0), v.size(1),
            v.size(0)});
  if (!all_finite(out.data(), out.count())) weigh_skipping_zeros(pattern, v, out.data());
  return std::move(out).freeze();
}

void sgemm(const float* a, const float* b, float* c, std::int64_t m, std::int64_t n, std::int64_t k) {
  const Factor factor(b, n);
  multiply_by_tiles({a, k, factor, nullptr, c, m, n, k});
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
