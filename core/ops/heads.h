// Shared by attention and its backward: the rows of one head, which key/value head serves it, the sizes of
// tiles.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "core/ops/ops.h"
#include "core/tensor/block_pool.h"

namespace attnscope {

inline constexpr std::int64_t kWorthThreads = 1 << 17;  // multiplications
inline constexpr float kNobody = -std::numeric_limits<float>::infinity();

/// Rows [row, d_head] of one head.
struct Rows {
  const float* data;
  std::int64_t ld;
  const float* row(std::int64_t index) const { return data + index * ld; }
};

/// x [head, row, d_head] itself, or a copy where a row has gaps.
inline Tensor with_whole_head_rows(const Tensor& x) {
  return !x.is_encoded() && (x.stride(2) == 1 || x.size(2) == 1) ? x : x.packed();
}

inline Rows rows_of(const Tensor& x, std::int64_t head) {
  return {x.data() + head * x.stride(0), x.stride(1)};
}

inline std::int64_t kv_head(const AttentionInputs& in, std::int64_t head) {
  return head * in.k.size(0) / in.q.size(0);
}

/// The log-sum-exp of a row with its sink, given that of its keys (-inf: none).
inline double with_sink(const AttentionInputs& in, std::int64_t head, std::int64_t query, double keys) {
  if (in.sinks.empty() || std::isnan(keys)) return keys;
  const double sink = in.sinks.at(head, query, 0), top = std::max(keys, sink);
  return top + std::log(std::exp(keys - top) + std::exp(sink - top));
}

/// Room for `count` values that are not set yet.
using Scratch = std::shared_ptr<float[]>;
inline Scratch scratch(std::int64_t count) {
  const std::shared_ptr<void> memory = tensor_memory(static_cast<std::size_t>(count) * sizeof(float));
  return {memory, static_cast<float*>(memory.get())};
}

/// CHECKs that the shapes fit each other.
void check_attention(const AttentionInputs& in);

}  // namespace attnscope
