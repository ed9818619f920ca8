// The optimiser, number by number, so that any split over threads gives the same bits. Weights keep their
// order of memory; moments and gradients are brought into it.
#include <cmath>

#include "core/base/thread_pool.h"
#include "core/ops/combined.h"
#include "core/train/trainer.h"

namespace attnscope {
namespace {

constexpr std::int64_t kPiece = 1 << 14;

// True for a matrix whose memory runs down its columns.
bool runs_down(const Tensor& tensor) {
  return tensor.rank() == 2 && !tensor.contiguous() && tensor.transpose().contiguous();
}

// The values one after the other: rows, or columns where `down`.
Tensor in_line(const Tensor& tensor, bool down) { return (down ? tensor.transpose() : tensor).packed(); }

struct Constants {
  float factor, keep, beta1, beta2, rest1, rest2, stride, correction, epsilon;
};

Constants constants_of(const Recipe& recipe, double rate, int step, double factor) {
  const double first = 1 - std::pow(recipe.beta1, step), second = 1 - std::pow(recipe.beta2, step);
  const auto f = [](double value) { return static_cast<float>(value); };
  return {f(factor),       f(1 - rate * recipe.decay), f(recipe.beta1),
          f(recipe.beta2), f(1 - recipe.beta1),        f(1 - recipe.beta2),
          f(rate / first), f(1 / std::sqrt(second)),   f(recipe.epsilon)};
}

// w, m, v: before; nw, nm, nv: after.
void apply(const Constants& r, std::int64_t count, const float* __restrict w, const float* __restrict g,
           const float* __restrict m, const float* __restrict v, float* __restrict nw, float* __restrict nm,
           float* __restrict nv) {
  for (std::int64_t i = 0; i < count; ++i) {
    const float gradient = g[i] * r.factor;
    const float mean = r.beta1 * m[i] + r.rest1 * gradient;
    const float square = r.beta2 * v[i] + r.rest2 * gradient * gradient;
    nm[i] = mean;
    nv[i] = square;
    nw[i] = r.keep * w[i] - r.stride * mean / (std::sqrt(square) * r.correction + r.epsilon);
  }
}

// Sums of eight columns of numbers, added at the end in their order.
template <class Value>
double adamw_sum_of(std::int64_t count, Value value) {
  double sums[8] = {};
  std::int64_t i = 0;
  for (; i + 8 <= count; i += 8)
    for (std::int64_t j = 0; j < 8; ++j) sums[j] += value(i + j);
  for (std::int64_t j = 0; i + j < count; ++j) sums[j] += value(i + j);
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

}  // namespace

Tensor adamw(const Tensor& weight, const Tensor& gradient, AdamState& state, const Recipe& recipe,
             double rate, int step, double factor) {
  CHECK(weight.sizes() == gradient.sizes());
  const bool down = runs_down(weight);
  const Tensor w = in_line(weight, down), g = in_line(gradient, down);
  const Shape shape = shape_of(w);
  if (state.m.empty())
    state = {Tensor::filled(shape, 0.f), Tensor::filled(shape, 0.f)};
  else
    state = {in_line(state.m, down), in_line(state.v, down)};
  CHECK(state.m.sizes() == w.sizes() && state.v.sizes() == w.sizes());
  Buffer next(shape), m(shape), v(shape);
  const Constants constants = constants_of(recipe, rate, step, factor);
  parallel_for(w.count(), kPiece, [&](std::int64_t begin, std::int64_t end) {
    apply(constants, end - begin, w.data() + begin, g.data() + begin, state.m.data() + begin,
          state.v.data() + begin, next.data() + begin, m.data() + begin, v.data() + begin);
  });
  const auto transposed = [&](Tensor tensor) { return down ? tensor.transpose() : tensor; };
  state = {transposed(std::move(m).freeze()), transposed(std::move(v).freeze())};
  return transposed(std::move(next).freeze());
}

double sum_of_squares(const Tensor& tensor) {
  const Tensor line = in_line(tensor, runs_down(tensor));
  return adamw_sum_of(line.count(), [x = line.data()](std::int64_t i) {
    const double value = x[i];
    return value * value;
  });
}

double sum_of_squared_changes(const Tensor& now, const Tensor& before) {
  const bool down = runs_down(before);
  const Tensor a = in_line(now, down), b = in_line(before, down);
  CHECK(a.count() == b.count());
  return adamw_sum_of(a.count(), [x = a.data(), y = b.data()](std::int64_t i) {
    const double value = static_cast<double>(x[i]) - static_cast<double>(y[i]);
    return value * value;
  });
}

}  // namespace attnscope
