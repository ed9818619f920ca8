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
