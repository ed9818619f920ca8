// Sums, products, activations, row softmax and table rows: everything that looks at each value on its own or
// at one row. Long tensors are shared out over the threads.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/thread_pool.h"
#include "core/ops/combined.h"
#include "core/ops/kernels.h"
#include "core/ops/ops.h"

namespace attnscope {
namespace {

constexpr std::int64_t kElementwiseGrain = 1 << 15;

}  // namespace

Tensor add(const Tensor& a, const Tensor& b) {
  return combined(a, b, [](float x, float y) { return x + y; });
}

Tensor multiply(const Tensor& a, const Tensor& b) {
  return combined(a, b, [](float x, float y) { return x * y; });
}

Tensor scale(const Tensor& x, float factor) {
  return combined(x, x, [factor](float v, float) { return v * factor; });
}

Tensor soft_cap(const Tensor& x, float cap) {
  return combined(x, x, [cap](float v, float) { return cap * std::tanh(v / cap); });
}

Tensor cut_patches(const Tensor& pixels, std::int64_t size) {
  CHECK(pixels.rank() == 3 && size > 0 && pixels.size(1) % size == 0 && pixels.size(2) % size == 0);
  const std::int64_t channels = pixels.size(0), down = pixels.size(1) / size, across = pixels.size(2) / size;
  Buffer out({{Axis::pos, down * across}, {Axis::in, channels * size * size}});  // [pos, channel*size*size]
  float* to = out.data();
  for (std::int64_t patch = 0; patch < down * across; ++patch)
    for (std::int64_t channel = 0; channel < channels; ++channel)
      for (std::int64_t y = 0; y < size; ++y)
        for (std::int64_t x = 0; x < size; ++x)
          *to++ = pixels.at(channel, patch / across * size + y, patch % across * size + x);
  return std::move(out).freeze();
}

float activate(Activation kind, float x) {
  const double v = static_cast<double>(x);
  const auto gated = [v](double z) { return static_cast<float>(v / (1 + std::exp(-z))); };
  switch (kind) {
    case Activation::gelu_tanh: return gated(2 * std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v));
    case Activation::gelu_exact: return static_cast<float>(v / 2 * std::erfc(-v / std::sqrt(2.0)));
    case Activation::silu: return gated(v);
    case Activation::relu: return x < 0.f ? 0.f : x;
    case Activation::quick_gelu: return gated(1.702 * v);
  }
  return x;
}

Tensor activate(Activation kind, const Tensor& x) {
  CHECK(!x.empty());
  const Tensor from = x.packed();
  Buffer out(shape_of(x));
  const Kernels& kernel = kernels();
  parallel_for(out.count(), kElementwiseGrain / 4,
               [&, to = out.data()](std::int64_t begin, std::int64_t end) {
                 kernel.activation(static_cast<int>(kind), from.data() + begin, to + begin, end - begin);
               });
  return std::move(out).freeze();
}

Tensor softmax_rows(const Tensor& x, const Tensor& sinks) {
  CHECK(x.rank() == 2 && (sinks.empty() || sinks.size(0) == x.size(0)));
  const Tensor from = x.packed();
  const std::int64_t width = x.size(1);
  Buffer out(shape_of(x));
  const Kernels& kernel = kernels();
  parallel_for(x.size(0), 1 + kElementwiseGrain / 4 / (width + 1),
               [&, to = out.data()](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t r = begin; r < end; ++r) {
                   float* row = to + r * width;
                   std::memcpy(row, from.data() + r * width, static_cast<std::size_t>(width) * sizeof(float));
                   const float sink = sinks.empty() ? -INFINITY : sinks.at(r, 0);
                   const float top = std::max(kernel.row_max(row, width), sink);
                   const bool nothing = top == -INFINITY;  // fully masked: zeros, where 0/0 would be NaN
                   double sum = sinks.empty() ? 0 : std::exp(sink - top);
                   for (std::int64_t col = 0; col < width; col += 256)
                     sum += kernel.exp_row(row + col, nothing ? 0.f : top,
                                           std::min<std::int64_t>(256, width - col));
                   kernel.scale_row(row, nothing ? 0.f : static_cast<float>(1 / sum), width);
                 }
               });
  return std::move(out).freeze();
}

Tensor sinks_beside(const Tensor& sinks, std::int64_t queries) {
  CHECK(sinks.rank() == 1);
  Buffer out({{Axis::head, sinks.size(0)}, {Axis::query, queries}, {Axis::unit, 1}});
  for (std::int64_t head = 0; head < sinks.size(0); ++head)
    std::fill_n(out.data() + head * queries, queries, sinks.at(head));
  return std::move(out).freeze();
}

Tensor gather_rows(const Tensor& table, const std::vector<int>& ids) {
  CHECK(table.rank() == 2);
  const bool stays = table.is_encoded();  // then only the gathered rows are expanded
  const Tensor rows = stays || table.stride(1) == 1 ? table : table.packed();
  const std::int64_t width = table.size(1);
  Buffer out({{Axis::pos, static_cast<std::int64_t>(ids.size())}, {table.axis(1), width}});  // [pos, d]
  float* to = out.data();
  for (int id : ids) {
    CHECK(id >= 0 && id < table.size(0));
    if (stays)
      rows.select(0, id).read(to);
    else
      std::memcpy(to, rows.data() + id * rows.stride(0), static_cast<std::size_t>(width) * sizeof(float));
    to += width;
  }
  return std::move(out).freeze();
}

}  // namespace attnscope
