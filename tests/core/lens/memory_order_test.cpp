// Memory orders of views against the index arithmetic that they stand for; products of heads against one
// product.
#include "core/lens/memory_order.h"

#include <gtest/gtest.h>

namespace attnscope {
namespace {

Tensor counted(std::int64_t rows, std::int64_t cols) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < rows * cols; ++i) values.push_back(static_cast<float>(i % 13) - 6.f);
  return Tensor::from(std::move(values), {{Axis::pos, rows}, {Axis::concat, cols}});
}

TEST(MemoryOrder, OfAViewAndItsTranspose) {
  const Tensor flat = counted(3, 8), view = flat.split(1, Axis::head, 2, Axis::d_head);
  const MemoryOrder whole = memory_order(view);
  EXPECT_EQ(whole.strides, (std::vector<std::int64_t>{8, 4, 1}));
  EXPECT_EQ(whole.axes, (std::vector<int>{0, 1, 2}));
  EXPECT_TRUE(whole.contiguous);
  EXPECT_EQ(whole.copied_bytes, 0);
  const Tensor transposed = flat.transpose();
  const MemoryOrder order = memory_order(transposed);
  EXPECT_EQ(order.strides, (std::vector<std::int64_t>{1, 8}));
  EXPECT_EQ(order.axes, (std::vector<int>{1, 0}));
  EXPECT_FALSE(order.contiguous);
  EXPECT_EQ(order.copied_bytes, 3 * 8 * 4);
  for (std::int64_t i = 0; i < 8; ++i)
    for (std::int64_t j = 0; j < 3; ++j)
      EXPECT_EQ(transposed.at(i, j), flat.data()[i * order.strides[0] + j * order.strides[1]]);
  EXPECT_TRUE(memory_order(transposed.packed()).contiguous);
}

// torch.arange(16).view(2, 4, 2, 1).transpose(1, 2).stride() is (8, 1, 2, 1), and contiguous() moves 64
// bytes.
TEST(MemoryOrder, OfABatchIsThatOfOneTensorOfAllSequences) {
  const std::int64_t batch = 2, pos = 4, heads = 2, width = 1;
  const Tensor flat = counted(pos, heads * width), view = flat.split(1, Axis::head, heads, Axis::d_head);
  const MemoryOrder whole = memory_order(view, batch);
  EXPECT_EQ(whole.strides, (std::vector<std::int64_t>{8, 2, 1, 1}));
  EXPECT_TRUE(whole.contiguous);
  const Tensor heads_first = view.permute({1, 0, 2});
  const MemoryOrder order = memory_order(heads_first, batch);
  EXPECT_EQ(order.strides, (std::vector<std::int64_t>{8, 1, 2, 1}));
  EXPECT_FALSE(order.contiguous);
  EXPECT_EQ(order.copied_bytes, 64);
  EXPECT_EQ(order.axes.front(), 0) << "the batch is the slowest axis";
  // The rule written out: both sequences one after the other, read by the strides.
  std::vector<float> memory;
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t i = 0; i < pos * heads * width; ++i)
      memory.push_back(flat.data()[i] + static_cast<float>(100 * b));
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t h = 0; h < heads; ++h)
      for (std::int64_t p = 0; p < pos; ++p)
        EXPECT_EQ(memory[static_cast<std::size_t>(b * order.strides[0] + h * order.strides[1] +
                                                  p * order.strides[2])],
                  heads_first.at(h, p, 0) + static_cast<float>(100 * b));
  EXPECT_EQ(memory_order(heads_first, 1).copied_bytes, 32);
}

TEST(HeadProducts, AreThoseOfOneProduct) {
  const std::atomic<bool> cancel{false};
  const Tensor x = counted(5, 6), w = counted(6, 8).rename({Axis::in, Axis::out});
  const HeadProducts times = time_head_products(x, w, 4, cancel);
  EXPECT_EQ(times.largest_difference, 0);
  EXPECT_GT(times.together_us, 0);
  EXPECT_GT(times.one_by_one_us, 0);
  EXPECT_EQ(time_head_products(x, w, 3, cancel).together_us, 0) << "8 columns are not 3 heads";
}

}  // namespace
}  // namespace attnscope
