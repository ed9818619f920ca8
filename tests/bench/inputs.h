// What the benchmarks are fed with, and what they count.
#pragma once

#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "core/tensor/tensor.h"

namespace attnscope {

/// A tensor of numbers between -1 and 1 that repeat at no short distance.
inline Tensor wave(const Shape& shape, double step) {
  std::int64_t count = 1;
  for (const auto& [axis, size] : shape) count *= size;
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(std::sin(step * static_cast<double>(i)));
  return Tensor::from(std::move(values), shape);
}

/// Reports GFLOP/s, for so many operations per iteration.
inline void count_flops(benchmark::State& state, double flops_each) {
  state.counters["GFLOP/s"] =
      benchmark::Counter(flops_each * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace attnscope
