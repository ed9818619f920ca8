// Tensors that look at encoded values: every view and copy of them against the same view of the expanded
// values.
#include "core/tensor/encoded.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/tensor/tensor.h"

namespace attnscope {
namespace {

struct Pair {
  Tensor encoded, plain;
};

// Random blocks whose scales are small positive halves.
Pair matrix(DType type, std::int64_t rows, std::int64_t cols) {
  std::mt19937_64 random(3);
  auto bytes =
      std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(storage_bytes(type, rows * cols)));
  for (std::byte& byte : *bytes) byte = static_cast<std::byte>(random() & 0x3B);  // no infinite halves
  const Shape shape{{Axis::out, rows}, {Axis::in, cols}};
  std::vector<float> values(static_cast<std::size_t>(rows * cols));
  expand(type, bytes->data(), rows * cols, values.data());
  return {Tensor::encoded(std::make_shared<Encoded>(bytes, bytes->data(), type, rows, cols), shape),
          Tensor::from(std::move(values), shape)};
}

void expect_same(const Tensor& encoded, const Tensor& plain) {
  ASSERT_TRUE(encoded.is_encoded());
  ASSERT_EQ(encoded.sizes(), plain.sizes());
  EXPECT_FALSE(encoded.contiguous());
  EXPECT_EQ(encoded.values(), plain.values());
  EXPECT_EQ(encoded.packed().values(), plain.values());
  EXPECT_FALSE(encoded.packed().is_encoded());
  for (std::int64_t i = 0; i < plain.size(0); i += 3)
    for (std::int64_t j = 0; plain.rank() > 1 && j < plain.size(1); j += 5)
      ASSERT_EQ(encoded.at(i, j), plain.at(i, j)) << i << " " << j;
}

class EncodedViews : public ::testing::TestWithParam<DType> {};

TEST_P(EncodedViews, EveryViewExpandsToTheSame) {
  const auto [e, p] = matrix(GetParam(), 24, 512);
  expect_same(e, p);
  expect_same(e.transpose(), p.transpose());
  expect_same(e.slice(0, 5, 17), p.slice(0, 5, 17));
  expect_same(e.slice(1, 33, 300), p.slice(1, 33, 300));
  expect_same(e.transpose().slice(1, 3, 9).slice(0, 100, 103),
              p.transpose().slice(1, 3, 9).slice(0, 100, 103));
  expect_same(e.select(0, 7), p.select(0, 7));
  expect_same(e.select(1, 300), p.select(1, 300));
  expect_same(e.split(0, Axis::head, 4, Axis::d_head).permute({1, 0, 2}),
              p.split(0, Axis::head, 4, Axis::d_head).permute({1, 0, 2}));
  expect_same(e.slice(0, 4, 4), p.slice(0, 4, 4));
}

TEST_P(EncodedViews, StatisticsAndDifferences) {
  const auto [e, p] = matrix(GetParam(), 24, 512);
  for (const auto& [a, b] : {std::pair(e, p), std::pair(e.transpose(), p.transpose())}) {
    const Stats left = stats(a), right = stats(b);
    EXPECT_EQ(left.count, right.count);
    EXPECT_EQ(left.min, right.min);
    EXPECT_EQ(left.max, right.max);
    EXPECT_NEAR(left.mean, right.mean, 1e-9 * (1 + std::fabs(right.mean)));
    EXPECT_NEAR(left.l2, right.l2, 1e-9 * (1 + right.l2));
    EXPECT_EQ(max_abs_difference(a, b), 0);
    EXPECT_EQ(stats(difference(a, b)).l2, 0);
  }
}

TEST_P(EncodedViews, ValuesSetByHand) {
  const auto [e, p] = matrix(GetParam(), 24, 512);
  const Tensor changed = e.transpose().with_value({300, 7}, 42.f).with_value({0, 23}, -1.f);
  const Tensor expected = p.transpose().with_value({300, 7}, 42.f).with_value({0, 23}, -1.f);
  EXPECT_EQ(expected.at(300, 7), 42.f);
  expect_same(changed, expected);
  expect_same(changed.transpose().slice(0, 5, 9), expected.transpose().slice(0, 5, 9));
  EXPECT_EQ(changed.set_by_hand(), (std::vector<std::vector<std::int64_t>>{{300, 7}, {0, 23}}));
  EXPECT_EQ(changed.slice(1, 7, 8).set_by_hand(), (std::vector<std::vector<std::int64_t>>{{300, 0}}));
  EXPECT_TRUE(e.set_by_hand().empty());
  EXPECT_EQ(e.at(7, 300), p.at(7, 300));
  EXPECT_TRUE(changed.same_bytes(e.transpose()));
  EXPECT_FALSE(changed.same_place(e.transpose()));
  EXPECT_TRUE(e.transpose().same_place(e.transpose()));
  EXPECT_FALSE(e.same_place(e.slice(0, 1, 24)));
}

TEST_P(EncodedViews, SomeRowsInAnotherOrder) {
  const auto [e, p] = matrix(GetParam(), 4, 512);
  const Tensor taken = e.take_rows({2, 0, 3, 1}).take_rows({1, 0, 2}), expected = p.take_rows({0, 2, 3});
  expect_same(taken, expected);
  EXPECT_FALSE(taken.same_bytes(e));
  const std::vector<std::int64_t> from{0, 2, 3};
  for (std::int64_t row = 0; row < 3; ++row)
    EXPECT_EQ(expected.select(0, row).values(), p.select(0, from[static_cast<std::size_t>(row)]).values());
  const Tensor part = e.slice(0, 1, 4).take_rows({2, 0});
  EXPECT_FALSE(part.is_encoded());
  EXPECT_EQ(part.values(), p.take_rows({3, 1}).values());
  EXPECT_EQ(p.select(1, 3).take_rows({3, 1}).values(), (std::vector<float>{p.at(3, 3), p.at(1, 3)}));
}

TEST_P(EncodedViews, RowsThatAreScaledBeforeOrAfterTheyMove) {
  const auto [e, p] = matrix(GetParam(), 4, 512);
  const std::vector<float> by{2, 1, 0.5f, 1}, moved{1, 2, 0.5f, 1};
  expect_same(e.scale_rows(by), p.scale_rows(by));
  EXPECT_EQ(e.scale_rows(by).take_rows({1, 0, 2, 3}).values(),
            p.scale_rows(by).take_rows({1, 0, 2, 3}).values());
  EXPECT_EQ(e.take_rows({1, 0, 2, 3}).scale_rows(moved).values(),
            p.take_rows({1, 0, 2, 3}).scale_rows(moved).values());
  EXPECT_EQ(e.scale_rows(by).scale_rows(by).values(), p.scale_rows(by).scale_rows(by).values());
}

INSTANTIATE_TEST_SUITE_P(Formats, EncodedViews,
                         ::testing::Values(DType::f16, DType::bf16, DType::q4_0, DType::q8_0, DType::q3_k,
                                           DType::q6_k),
                         [](const auto& type) { return std::string(dtype_name(type.param)); });

TEST(Encoded, NaNIsLocatedInEitherOrder) {
  auto bytes = std::make_shared<std::vector<std::uint16_t>>(64 * 300, 0x3C00);
  (*bytes)[5 * 300 + 7] = 0x7E00;
  (*bytes)[6 * 300 + 1] = 0x7C00;
  const Tensor t =
      Tensor::encoded(std::make_shared<Encoded>(bytes, reinterpret_cast<const std::byte*>(bytes->data()),
                                                DType::f16, 64, 300),
                      {{Axis::out, 64}, {Axis::in, 300}});
  EXPECT_EQ(stats(t).first_nan, (std::vector<std::int64_t>{5, 7}));
  EXPECT_EQ(stats(t.transpose()).first_nan, (std::vector<std::int64_t>{7, 5}));
  EXPECT_EQ(stats(t).infs, 1);
  EXPECT_EQ(stats(t).nans, 1);
}

TEST(EncodedDeathTest, HasNoMemoryOfFloats) {
  const auto [e, p] = matrix(DType::f16, 4, 64);
  EXPECT_DEATH(e.data(), "internal check failed");
}

}  // namespace
}  // namespace attnscope
