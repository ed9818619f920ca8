// Plain loops in double that the tests of core/ops compare with, and a way to run a test body with every
// kernel table that this processor has.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/ops/kernels.h"
#include "core/ops/ops.h"

namespace attnscope::reference {

/// Values in (-1, 1) that repeat for the same seed.
inline Tensor noise(const Shape& shape, unsigned seed) {
  std::int64_t count = 1;
  for (const auto& [axis, size] : shape) count *= size;
  std::vector<float> values(static_cast<std::size_t>(count));
  std::uint32_t state = seed * 2654435761u + 12345u;
  for (float& value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(static_cast<double>(state) / 2147483648.0 - 1.0);
  }
  return Tensor::from(std::move(values), shape);
}

/// Runs `body` once per available kernel table and leaves the fastest one chosen.
inline void with_every_kernel(const std::function<void()>& body) {
  for (const char* which : {"base", "v3", "v4"}) {
    if (!use_kernels(which)) continue;
    SCOPED_TRACE(kernel_name());
    body();
  }
}

inline bool same_bits(const Tensor& a, const Tensor& b) {
  const std::vector<float> x = a.values(), y = b.values();
  return a.sizes() == b.sizes() && std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0;
}

/// x w + bias
inline std::vector<double> product(const Tensor& x, const Tensor& w, const Tensor& bias) {
  std::vector<double> out;
  for (std::int64_t i = 0; i < x.size(0); ++i)
    for (std::int64_t j = 0; j < w.size(1); ++j) {
      double sum = bias.empty() ? 0.0 : static_cast<double>(bias.at(j));
      for (std::int64_t k = 0; k < x.size(1); ++k)
        sum += static_cast<double>(x.at(i, k)) * static_cast<double>(w.at(k, j));
      out.push_back(sum);
    }
  return out;
}

/// Largest gap between t in row-major order and the expected values, relative to 1 + |expected|.
inline double worst_gap(const Tensor& t, const std::vector<double>& expected) {
  const std::vector<float> found = t.values();
  if (found.size() != expected.size()) return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (static_cast<double>(found[i]) == expected[i]) continue;  // infinities
    const double gap = std::fabs(static_cast<double>(found[i]) - expected[i]) / (1 + std::fabs(expected[i]));
    if (!(gap <= worst)) worst = std::isnan(gap) ? std::numeric_limits<double>::infinity() : gap;
  }
  return worst;
}

/// Attention of one head by the book: pattern [query][key], z [query][d], lse [query].
struct Attention {
  std::vector<double> pattern, z, lse;
};
inline Attention attention(const AttentionInputs& in, std::int64_t head) {
  Attention out;
  const std::int64_t kv = head * in.k.size(0) / in.q.size(0), keys = in.k.size(1);
  for (std::int64_t query = 0; query < in.q.size(1); ++query) {
    std::vector<double> weights(static_cast<std::size_t>(keys), 0.0);
    double sum = in.sinks.empty() ? 0. : std::exp(static_cast<double>(in.sinks.at(head, query, 0)));
    for (std::int64_t key = 0; key < keys; ++key) {
      if (!in.mask.allowed(in.first_query + query, key)) continue;
      double score = 0;
      for (std::int64_t d = 0; d < in.q.size(2); ++d)
        score += static_cast<double>(in.q.at(head, query, d)) * static_cast<double>(in.k.at(kv, key, d));
      score *= static_cast<double>(in.scale);
      if (const auto cap = static_cast<double>(in.cap); cap > 0) score = cap * std::tanh(score / cap);
      score += static_cast<double>(in.bias.at(head, in.first_query + query, key));
      sum += weights[static_cast<std::size_t>(key)] = std::exp(score);
    }
    for (double& weight : weights) weight = sum > 0 ? weight / sum : 0.0;
    for (std::int64_t d = 0; d < in.v.size(2); ++d) {
      double z = 0;
      for (std::int64_t key = 0; key < keys; ++key)
        z += weights[static_cast<std::size_t>(key)] * static_cast<double>(in.v.at(kv, key, d));
      out.z.push_back(z);
    }
    out.pattern.insert(out.pattern.end(), weights.begin(), weights.end());
    out.lse.push_back(std::log(sum));
  }
  return out;
}

/// Inputs whose heads lie next to each other, as a projection leaves them: views of [row, head * d_head].
inline AttentionInputs attention_inputs(std::int64_t heads, std::int64_t kv_heads, std::int64_t queries,
                                        std::int64_t keys, std::int64_t d_head) {
  const auto split = [&](std::int64_t rows, std::int64_t count, Axis axis, unsigned seed) {
    return noise({{axis, rows}, {Axis::concat, count * d_head}}, seed)
        .split(1, Axis::head, count, Axis::d_head)
        .permute({1, 0, 2});
  };
  AttentionInputs in;
  in.q = scale(split(queries, heads, Axis::query, 1).packed(), 3.f);
  in.k = split(keys, kv_heads, Axis::key, 2);
  in.v = split(keys, kv_heads, Axis::key, 3);
  in.scale = 1.f / std::sqrt(static_cast<float>(d_head));
  in.first_query = keys - queries;
  return in;
}

/// Every stage of a head in pieces of 31 x 47 cells has the bits that it has as a whole.
inline void expect_cuts_alike(const AttentionInputs& in, const Tensor& lse, std::int64_t queries,
                              std::int64_t keys, std::initializer_list<ScoreStage> stages) {
  for (const ScoreStage stage : stages) {
    const Tensor whole = attention_rectangle(in, lse, stage, 1, 0, queries, 0, keys);
    for (std::int64_t row = 0; row < queries; row += 31)
      for (std::int64_t key = 0; key < keys; key += 47) {
        const std::int64_t row_end = std::min(queries, row + 31), key_end = std::min(keys, key + 47);
        const Tensor part = attention_rectangle(in, lse, stage, 1, row, row_end, key, key_end);
        EXPECT_TRUE(same_bits(part, whole.slice(0, row, row_end).slice(1, key, key_end)));
      }
  }
}

}  // namespace attnscope::reference
