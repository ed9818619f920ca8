// Copies of views in every layout are what at() says, cell by cell, in row-major order.
#include <gtest/gtest.h>

#include <limits>

#include "core/tensor/tensor.h"

namespace attnscope {
namespace {

Tensor numbered(const Shape& shape) {
  Buffer buffer(shape);
  for (std::int64_t i = 0; i < buffer.count(); ++i) buffer.data()[i] = static_cast<float>(i);
  return std::move(buffer).freeze();
}

std::vector<Tensor> layouts() {
  const Tensor line = numbered({{Axis::pos, 7}}), flat = numbered({{Axis::in, 5}, {Axis::out, 8}});
  const Tensor cube = numbered({{Axis::head, 3}, {Axis::pos, 4}, {Axis::d_head, 6}});
  const Tensor four = numbered({{Axis::batch, 2}, {Axis::head, 3}, {Axis::pos, 4}, {Axis::d_head, 5}});
  return {line,
          line.slice(0, 2, 5),
          flat,
          flat.transpose(),
          flat.slice(1, 3, 6),
          flat.transpose().slice(0, 1, 4),
          flat.select(1, 2),
          cube.permute({1, 0, 2}),
          cube.permute({2, 0, 1}),
          cube.slice(2, 1, 4).permute({1, 2, 0}),
          cube.select(1, 3),
          four,
          four.permute({3, 1, 0, 2}),
          four.permute({0, 2, 1, 3}).slice(3, 2, 5),
          four.slice(1, 1, 1)};
}

TEST(Read, CopiesAreWhatTheViewsHold) {
  for (const Tensor& view : layouts()) {
    const Tensor packed = view.packed();
    const std::vector<float> values = view.values();
    ASSERT_EQ(packed.sizes(), view.sizes());
    ASSERT_EQ(static_cast<std::int64_t>(values.size()), view.count());
    std::vector<std::int64_t> at(static_cast<std::size_t>(view.rank()), 0);
    for (std::int64_t i = 0; i < view.count(); ++i) {
      ASSERT_EQ(values[static_cast<std::size_t>(i)], view.at(at)) << shape_text(view) << " " << i;
      ASSERT_EQ(packed.data()[i], view.at(at)) << shape_text(view) << " " << i;
      for (int d = view.rank() - 1; d >= 0 && ++at[static_cast<std::size_t>(d)] == view.size(d); --d)
        at[static_cast<std::size_t>(d)] = 0;
    }
  }
}

TEST(Read, StatisticsSayWhereTheFirstNanIs) {
  const Tensor cube = numbered({{Axis::head, 3}, {Axis::pos, 4}, {Axis::d_head, 6}});
  const Tensor broken =
      cube.with_value({2, 1, 3}, std::numeric_limits<float>::quiet_NaN()).permute({1, 2, 0});
  const Stats found = stats(broken);
  EXPECT_EQ(found.nans, 1);
  EXPECT_EQ(found.first_nan, (std::vector<std::int64_t>{1, 3, 2}));
  EXPECT_EQ(found.max, 71.f);
  EXPECT_EQ(found.min, 0.f);
}

}  // namespace
}  // namespace attnscope
