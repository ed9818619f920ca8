// The memory layout of a step: its strides, which axis runs fastest, and how many bytes
// contiguous() would copy; and the time saved by multiplying all heads at once, measured.
// Not for the thread that draws: measuring takes milliseconds.
#pragma once

#include <atomic>
#include <vector>

#include "core/tensor/tensor.h"

namespace attnscope {

struct MemoryOrder {
  std::vector<std::int64_t> strides;  ///< numbers between neighbours, by axis
  std::vector<int> axes;              ///< slowest first: the order in which memory holds them
  bool contiguous = true;
  std::int64_t copied_bytes = 0;  ///< by contiguous(); 0 where nothing has to be
};
/// Of float32 numbers. An axis of one entry does not affect the order: it stands where its index does.
/// `batch` > 0: of as many sequences of this shape in one tensor, as PyTorch holds them: axis 0 is the batch,
/// the others count from 1, and a copy moves all sequences.
MemoryOrder memory_order(const Tensor& tensor, std::int64_t batch = 0);

/// Medians of several rounds.
struct HeadProducts {
  double together_us = 0;    ///< x times w [in, heads * width] in one product
  double one_by_one_us = 0;  ///< `heads` products with columns of w
  double largest_difference = 0;
};
/// x [pos, in], w [in, heads * width]; stops early where it is cancelled.
HeadProducts time_head_products(const Tensor& x, const Tensor& w, std::int64_t heads,
                                const std::atomic<bool>& cancel);

}  // namespace attnscope
