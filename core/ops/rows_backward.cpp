// Backward of everything that works on each value on its own or on one row: norms, activations, caps,
// softmax, rotations, and the loss at the end of all.
#include <algorithm>
#include <cmath>

#include "core/base/thread_pool.h"
#include "core/ops/backward.h"
#include "core/ops/columns.h"
#include "core/ops/combined.h"
#include "core/ops/kernels.h"

namespace attnscope {
namespace {

constexpr std::int64_t kRowsBackwardGrain = 1 << 14;

// Backward of one norm: x and dy by rows, and the scale of each row.
struct NormRowBack {
  Tensor dy, x, weight;
  float weight_offset;
  std::vector<float> over;  // 1 / scale of each row
  std::vector<float> mean;  // of each row; 0 for RMSNorm

  const float* values(std::int64_t pos) const { return x.data() + pos * x.stride(0); }
  const float* gradients(std::int64_t pos) const { return dy.data() + pos * dy.stride(0); }

  // What a row adds to the gradients of the gain: dy times the normed row.
  void weight_terms(std::int64_t pos, std::int64_t begin, std::int64_t count, float* to) const {
    const float *const from = values(pos) + begin, *const gradient = gradients(pos) + begin;
    const float centre = mean[static_cast<std::size_t>(pos)], factor = over[static_cast<std::size_t>(pos)];
    for (std::int64_t i = 0; i < count; ++i) to[i] = gradient[i] * ((from[i] - centre) * factor);
  }

  // dx = (g - mean(g) - normed mean(g normed)) / scale with g = dy * gain; no mean(g) for RMSNorm.
  // `scratch` has room for two rows.
  void row(std::int64_t pos, bool centred, float* scratch, float* dx) const {
    const std::int64_t width = x.size(1);
    float *g = scratch, *n = scratch + width;
    const float *const from = values(pos), *const gradient = gradients(pos), *const gain = weight.data();
    const float centre = mean[static_cast<std::size_t>(pos)], factor = over[static_cast<std::size_t>(pos)];
    if (gain)
      for (std::int64_t i = 0; i < width; ++i) g[i] = gradient[i] * (gain[i] + weight_offset);
    else
      std::copy_n(gradient, width, g);
    for (std::int64_t i = 0; i < width; ++i) n[i] = (from[i] - centre) * factor;
    double mean_gradient = 0, square = 0;
    if (centred) kernels().row_moments(g, 0.0, width, &mean_gradient, &square);
    const float shift = static_cast<float>(mean_gradient);
    const float pull = kernels().dot(g, n, width) / static_cast<float>(width);
    for (std::int64_t i = 0; i < width; ++i) dx[i] = (g[i] - shift - n[i] * pull) * factor;
  }
};

NormGrads norm_backward(const NormRowBack& back, bool centred, const Tensor& bias) {
  const std::int64_t count = back.x.size(0), width = back.x.size(1);
  NormGrads grads;
  Buffer dx(shape_of(back.x));
  parallel_for(count, 1 + kRowsBackwardGrain / 4 / (width + 1),
               [&, to = dx.data()](std::int64_t begin, std::int64_t end) {
                 std::vector<float> scratch(static_cast<std::size_t>(2 * width));
                 for (std::int64_t pos = begin; pos < end; ++pos)
                   back.row(pos, centred, scratch.data(), to + pos * width);
               });
  grads.x = std::move(dx).freeze();
  if (!back.weight.empty())
    grads.weight =
        column_sums(count, width, back.weight.axis(0), [&](double* sums, auto pos, auto begin, auto columns) {
          float terms[kSumColumns];
          back.weight_terms(pos, begin, columns, terms);
          kernels().add_to_doubles(sums, terms, columns);
        });
  if (!bias.empty())
    grads.bias =
        column_sums(count, width, bias.axis(0), [&](double* sums, auto pos, auto begin, auto columns) {
          kernels().add_to_doubles(sums, back.gradients(pos) + begin, columns);
        });
  return grads;
}

NormRowBack rows_backward_prepared(const Tensor& dy, const Tensor& x, const Tensor& scale,
                                   const Tensor& weight, float weight_offset) {
  CHECK(x.rank() == 2 && dy.sizes() == x.sizes() && scale.size(0) == x.size(0));
  CHECK(weight.empty() || weight.count() == x.size(1));
  NormRowBack back{with_whole_rows(dy), with_whole_rows(x), weight.packed(),
                   weight_offset,       scale.values(),     {}};
  for (float& value : back.over) value = 1.f / value;
  back.mean.assign(back.over.size(), 0.f);
  return back;
}

// log of the sum of exponentials of a row, which becomes exp(row - its maximum).
struct RowSum {
  float top;
  double sum;
  double log_sum() const { return static_cast<double>(top) + std::log(sum); }
};
RowSum exponentials(const float* from, std::int64_t count, float* row) {
  std::copy(from, from + count, row);
  const float top = kernels().row_max(row, count);
  return {top, kernels().exp_row(row, top, count)};
}

struct RowLoss {
  double plain = 0, smoothed = 0;
  bool right = false;
};

RowLoss row_loss(const float* logits, std::int64_t vocab, int target, double smoothing, float* scratch) {
  const RowSum row = exponentials(logits, vocab, scratch);
  double sum = 0;
  for (std::int64_t i = 0; i < vocab; ++i) sum += static_cast<double>(logits[i]);
  RowLoss loss;
  loss.plain = row.log_sum() - static_cast<double>(logits[target]);
  const double even = row.log_sum() - sum / static_cast<double>(vocab);  // against the uniform distribution
  loss.smoothed = (1 - smoothing) * loss.plain + smoothing * even;
  loss.right = std::find(logits, logits + vocab, row.top) == logits + target;
  return loss;
}

}  // namespace

NormGrads layer_norm_backward(const Tensor& dy, const Tensor& x, const Tensor& scale, const Tensor& weight,
                              const Tensor& bias) {
  NormRowBack back = rows_backward_prepared(dy, x, scale, weight, 0.f);
  for (std::int64_t pos = 0; pos < x.size(0); ++pos) {
    double mean = 0, square = 0;
    kernels().row_moments(back.x.data() + pos * back.x.stride(0), 0.0, x.size(1), &mean, &square);
    back.mean[static_cast<std::size_t>(pos)] = static_cast<float>(mean);
  }
  return norm_backward(back, true, bias);
}

NormGrads rms_norm_backward(const Tensor& dy, const Tensor& x, const Tensor& scale, const Tensor& weight,
                            float weight_offset) {
  return norm_backward(rows_backward_prepared(dy, x, scale, weight, weight_offset), false, {});
}

Tensor activate_backward(Activation kind, const Tensor& dy, const Tensor& x) {
  CHECK(!x.empty() && dy.sizes() == x.sizes());
  const Tensor from = x.packed(), grads = dy.packed();
  Buffer out(shape_of(x));
  const Kernels& kernel = kernels();
  parallel_for(out.count(), kRowsBackwardGrain, [&, to = out.data()](std::int64_t begin, std::int64_t end) {
    kernel.activation_gradient(static_cast<int>(kind), from.data() + begin, grads.data() + begin, to + begin,
                               end - begin);
  });
  return std::move(out).freeze();
}

Tensor soft_cap_backward(const Tensor& dy, const Tensor& y, float cap) {
  return combined(dy, y, [cap](float gradient, float value) {
    const float t = value / cap;
    return gradient * (1.f - t * t);
  });
}

ProductGrads multiply_backward(const Tensor& dy, const Tensor& a, const Tensor& b) {
  return {multiply(dy, b), multiply(dy, a)};
}

Tensor rotate_backward(const Tensor& dy, const std::vector<double>& frequencies, const Positions& positions,
                       bool interleaved, double magnitude) {
  std::vector<double> back = frequencies;
  for (double& frequency : back) frequency = -frequency;
  return rotate(dy, back, positions, interleaved, magnitude);
}

CrossEntropy cross_entropy(const Tensor& logits, const std::vector<int>& targets, double smoothing) {
  CHECK(logits.rank() == 2 && logits.size(0) == static_cast<std::int64_t>(targets.size()));
  const Tensor rows = with_whole_rows(logits);
  const std::int64_t vocab = logits.size(1);
  std::vector<RowLoss> losses(targets.size());
  parallel_for(
      logits.size(0), 1 + kRowsBackwardGrain / 4 / (vocab + 1), [&](std::int64_t begin, std::int64_t end) {
        std::vector<float> scratch(static_cast<std::size_t>(vocab));
        for (std::int64_t row = begin; row < end; ++row) {
          const auto at = static_cast<std::size_t>(row);
          CHECK(targets[at] < vocab);
          if (targets[at] >= 0)
            losses[at] =
                row_loss(rows.data() + row * rows.stride(0), vocab, targets[at], smoothing, scratch.data());
        }
      });
  CrossEntropy sum;
  for (std::size_t row = 0; row < targets.size(); ++row) {
    if (targets[row] < 0) continue;
    sum.plain += losses[row].plain;
    sum.smoothed += losses[row].smoothed;
    ++sum.counted;
    sum.right += losses[row].right ? 1 : 0;
  }
  return sum;
}

Tensor cross_entropy_backward(const Tensor& logits, const std::vector<int>& targets, double smoothing,
                              double factor) {
  CHECK(logits.rank() == 2 && logits.size(0) == static_cast<std::int64_t>(targets.size()));
  const Tensor rows = with_whole_rows(logits);
  const std::int64_t vocab = logits.size(1);
  const auto even = static_cast<float>(factor * smoothing / static_cast<double>(vocab));
  Buffer out(shape_of(logits));
  parallel_for(
      logits.size(0), 1 + kRowsBackwardGrain / 4 / (vocab + 1), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
          float* to = out.data() + row * vocab;
          const int target = targets[static_cast<std::size_t>(row)];
          CHECK(target < vocab);
          if (target < 0) {
            std::fill(to, to + vocab, 0.f);
            continue;
          }
          const RowSum sum = exponentials(rows.data() + row * rows.stride(0), vocab, to);
          const double share = to[target] / sum.sum;
          const auto each = static_cast<float>(factor / sum.sum);
          for (std::int64_t i = 0; i < vocab; ++i) to[i] = to[i] * each - even;
          to[target] = static_cast<float>(factor * (share - (1 - smoothing)) - static_cast<double>(even));
        }
      });
  return std::move(out).freeze();
}

}  // namespace attnscope
