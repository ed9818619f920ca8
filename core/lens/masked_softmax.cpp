#include "core/lens/masked_softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/ops/ops.h"

namespace attnscope {
namespace {

Tensor as_tensor(std::vector<float> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return Tensor::from(std::move(values), {{Axis::key, count}});
}

// The formula, whatever comes out of it.
std::vector<float> naive_softmax(const std::vector<float>& x) {
  float most = -std::numeric_limits<float>::infinity(), sum = 0;
  for (const float value : x) most = std::max(most, value);
  std::vector<float> out;
  for (const float value : x) {
    out.push_back(std::exp(value - most));
    sum += out.back();
  }
  for (float& value : out) value /= sum;
  return out;
}

}  // namespace

MaskedSoftmax masked_softmax(const Tensor& scores, const Tensor& allowed) {
  std::vector<float> hidden, filled;
  for (std::int64_t key = 0; key < scores.size(0); ++key) {
    const bool seen = allowed.at(key) > 0;
    hidden.push_back(seen ? scores.at(key) : -std::numeric_limits<float>::infinity());
    filled.push_back(seen ? scores.at(key) : kLargeNegative);
  }
  MaskedSoftmax out;
  out.naive = as_tensor(naive_softmax(hidden));
  out.filled = as_tensor(naive_softmax(filled));
  const auto keys = static_cast<std::int64_t>(hidden.size());
  out.safe = softmax_rows(Tensor::from(hidden, {{Axis::query, 1}, {Axis::key, keys}})).select(0, 0);
  out.entering = as_tensor(std::move(hidden));
  return out;
}

}  // namespace attnscope
