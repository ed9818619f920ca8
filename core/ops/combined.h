// Two tensors value by value: shared by the forward and backward of the elementwise operations.
#pragma once

#include <utility>

#include "core/base/thread_pool.h"
#include "core/tensor/shape_of.h"

namespace attnscope {

/// out[i] = combine(a[i], b[i]), with the axes of `a`, shared out over the threads. Both must have the same
/// sizes.
template <class Combine>
Tensor combined(const Tensor& a, const Tensor& b, Combine combine) {
  constexpr std::int64_t kGrain = 1 << 15;
  CHECK(!a.empty() && a.sizes() == b.sizes());
  const Tensor left = a.packed(), right = b.packed();
  Buffer out(shape_of(a));
  parallel_for(out.count(), kGrain,
               [x = left.data(), y = right.data(), to = out.data(), combine](auto begin, auto end) {
                 for (std::int64_t i = begin; i < end; ++i) to[i] = combine(x[i], y[i]);
               });
  return std::move(out).freeze();
}

}  // namespace attnscope
