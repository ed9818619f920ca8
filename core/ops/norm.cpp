// LayerNorm and RMSNorm. Row statistics are sums in double.
#include <cmath>

#include "core/base/thread_pool.h"
#include "core/ops/kernels.h"
#include "core/ops/ops.h"

namespace attnscope {
namespace {

constexpr std::int64_t kGrainRows = 16;

// What a row is normed with: out = (x - mean) / scale * weight + bias.
struct RowNorm {
  double mean;
  float scale;
};

// out = (x - mean) / scale * (weight + weight_offset) + bias; weight and bias may be null.
struct Affine {
  const float* weight;
  const float* bias;
  float weight_offset;
  void apply(const float* x, RowNorm norm, float* out, std::int64_t width) const {
    const float mean = static_cast<float>(norm.mean);  // what the rounding loses is taken off separately
    const float mean_rest = static_cast<float>(norm.mean - static_cast<double>(mean));
    for (std::int64_t i = 0; i < width; ++i) out[i] = ((x[i] - mean) - mean_rest) / norm.scale;
    if (weight)
      for (std::int64_t i = 0; i < width; ++i) out[i] *= weight[i] + weight_offset;
    if (bias)
      for (std::int64_t i = 0; i < width; ++i) out[i] += bias[i];
  }
};

template <class Measure>
Normed normed(const Tensor& x, const Tensor& weight, const Tensor& bias, float weight_offset,
              Measure measure) {
  CHECK(x.rank() == 2);
  CHECK(weight.empty() || weight.count() == x.size(1));
  CHECK(bias.empty() || bias.count() == x.size(1));
  const Tensor rows = x.stride(1) == 1 ? x : x.packed();
  const Tensor gain = weight.packed(), offset = bias.packed();
  const Affine affine{gain.data(), offset.data(), weight_offset};
  const std::int64_t width = x.size(1);
  Buffer scale({{x.axis(0), x.size(0)}, {Axis::unit, 1}});   // [pos, 1]
  Buffer out({{x.axis(0), x.size(0)}, {x.axis(1), width}});  // [pos, d_model]
  parallel_for(x.size(0), kGrainRows, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t pos = begin; pos < end; ++pos) {
      const float* row = rows.data() + pos * rows.stride(0);
      const RowNorm norm = measure(row, width);
      scale.data()[pos] = norm.scale;
      affine.apply(row, norm, out.data() + pos * width, width);
    }
  });
  return {std::move(scale).freeze(), std::move(out).freeze()};
}

float root(double mean_square, float eps) {
  return static_cast<float>(std::sqrt(mean_square + static_cast<double>(eps)));
}

}  // namespace

Normed layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, float eps) {
  const Kernels& kernel = kernels();
  return normed(x, weight, bias, 0.f, [&](const float* row, std::int64_t width) {
    double mean = 0, shifted = 0, square = 0;
    kernel.row_moments(row, 0.0, width, &mean, &square);
    kernel.row_moments(row, mean, width, &shifted, &square);  // second pass: no cancellation
    return RowNorm{mean, root(square, eps)};
  });
}

Normed rms_norm(const Tensor& x, const Tensor& weight, float eps, float weight_offset) {
  const Kernels& kernel = kernels();
  return normed(x, weight, {}, weight_offset, [&](const float* row, std::int64_t width) {
    double mean = 0, square = 0;
    kernel.row_moments(row, 0.0, width, &mean, &square);
    return RowNorm{0.0, root(square, eps)};
  });
}

}  // namespace attnscope
