#include "core/trace/row_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/trace/head.h"

namespace attnscope {
namespace {

constexpr float kNone = -std::numeric_limits<float>::infinity();

}  // namespace

SoftmaxParts softmax_parts(const Tensor& of, const Tensor& sinks) {
  const Tensor rows = of.packed();
  const std::int64_t count = rows.size(0), width = rows.size(1);
  Buffer high({{rows.axis(0), count}, {Axis::unit, 1}}), sum({{rows.axis(0), count}, {Axis::unit, 1}});
  Buffer exponential({{rows.axis(0), count}, {rows.axis(1), width}});
  for (std::int64_t row = 0; row < count; ++row) {
    const float* const from = rows.data() + row * width;
    float* const to = exponential.data() + row * width;
    float most = sinks.empty() ? kNone : sinks.at(row, 0);
    for (std::int64_t col = 0; col < width; ++col) most = std::max(most, from[col]);
    double total = sinks.empty() ? 0. : static_cast<double>(std::exp(sinks.at(row, 0) - most));
    for (std::int64_t col = 0; col < width; ++col) {
      to[col] = most == kNone || from[col] == kNone ? 0.f : std::exp(from[col] - most);
      total += static_cast<double>(to[col]);
    }
    high.data()[row] = most;
    sum.data()[row] = static_cast<float>(total);
  }
  return {std::move(high).freeze(), std::move(exponential).freeze(), std::move(sum).freeze()};
}

Tensor norm_means(const Tensor& rows, const NormSpec& spec) {
  Buffer out({{rows.axis(0), rows.size(0)}, {Axis::unit, 1}});
  for (std::int64_t row = 0; row < rows.size(0); ++row) {
    double sum = 0;
    for (std::int64_t col = 0; col < rows.size(1); ++col) sum += static_cast<double>(rows.at(row, col));
    const bool centred = spec.kind == NormSpec::Kind::layer;
    out.data()[row] = centred ? static_cast<float>(sum / static_cast<double>(rows.size(1))) : 0.f;
  }
  return std::move(out).freeze();
}

Tensor norm_scales(const Tensor& rows, const NormSpec& spec) {
  if (spec.kind != NormSpec::Kind::none) return apply_norm(spec, {}, {}, rows.packed()).scale;
  return Tensor::from(std::vector<float>(static_cast<std::size_t>(rows.size(0)), 1.f),
                      {{rows.axis(0), rows.size(0)}, {Axis::unit, 1}});
}

}  // namespace attnscope
