// Products with weights that stay encoded, against the same product with the weights expanded first.
#include <gtest/gtest.h>

#include <random>

#include "core/base/thread_pool.h"
#include "core/tensor/encoded.h"
#include "tests/core/ops/score_cases.h"

namespace attnscope {
namespace {

Tensor random_rows(std::int64_t rows, std::int64_t cols, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<std::size_t>(rows * cols));
  for (float& value : values) value = normal(random);
  return Tensor::from(std::move(values), {{Axis::pos, rows}, {Axis::in, cols}});
}

Tensor encoded_linear_encoded_matrix(DType type, std::int64_t rows, std::int64_t cols) {
  std::mt19937_64 random(9);
  auto bytes =
      std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(storage_bytes(type, rows * cols)));
  for (std::byte& byte : *bytes) byte = static_cast<std::byte>(random());
  // Scales in half precision that are no infinity: they stand first, last, or at byte 80, 96 and 108.
  const std::int64_t size = dtype_bytes(type);
  for (std::int64_t at = 0; at + size <= std::ssize(*bytes); at += size)
    for (const std::int64_t high : {1, 3, 81, 83, 109, 209})
      if (high < size)
        (*bytes)[static_cast<std::size_t>(at + high)] = static_cast<std::byte>(0x20 | (random() & 0x83));
  return Tensor::encoded(std::make_shared<Encoded>(bytes, bytes->data(), type, rows, cols),
                         {{Axis::none, rows}, {Axis::none, cols}});
}

class EncodedLinear : public ::testing::TestWithParam<DType> {};

// The numbers are those of the expanded weights, to the bit: any rows, columns that fill no vector, parts of
// a matrix in both directions, both layouts, every instruction set, any number of threads.
TEST_P(EncodedLinear, HasTheBitsOfTheExpandedProduct) {
  const Tensor stored = encoded_linear_encoded_matrix(GetParam(), 333, 768);
  const Tensor w = stored.transpose(), plain = w.packed();  // [in, out], as Linear stores it
  reference::with_every_kernel([&] {
    for (const std::int64_t rows : {1, 3, 8, 17, 64, 200}) {
      const Tensor x = random_rows(rows, 768, 1), bias = random_rows(1, 333, 2).select(0, 0);
      const Tensor expected = linear(x, plain, bias, Axis::out);
      for (const int threads : {1, 2, 3}) {
        SCOPED_TRACE(std::to_string(rows) + " rows, " + std::to_string(threads) + " threads");
        set_thread_count(threads);
        EXPECT_TRUE(reference::same_bits(linear(x, w, bias, Axis::out), expected));
        for (const auto& [begin, end] : {std::pair<std::int64_t, std::int64_t>{0, 1}, {100, 164}, {7, 333}})
          EXPECT_TRUE(
              reference::same_bits(linear(x, w.slice(1, begin, end), bias.slice(0, begin, end), Axis::out),
                                   expected.slice(1, begin, end)))
              << begin;
        set_thread_count(0);
      }
      for (const auto& [begin, end] : {std::pair<std::int64_t, std::int64_t>{256, 512}, {32, 96}, {5, 300}}) {
        const Tensor part = x.slice(1, begin, end);
        EXPECT_TRUE(reference::same_bits(linear(part, w.slice(0, begin, end), {}, Axis::out),
                                         linear(part, plain.slice(0, begin, end), {}, Axis::out)))
            << "steps " << begin;
      }
      const Tensor columns = random_rows(rows, 333, 3);  // [in, out] stored as it is, as Conv1D does
      EXPECT_TRUE(reference::same_bits(linear(columns, stored, {}, Axis::out),
                                       linear(columns, stored.packed(), {}, Axis::out)));
    }
  });
}

// Rows in another order, rows with a factor, and cells set by hand.
TEST_P(EncodedLinear, HasTheBitsOfChangedWeights) {
  const Tensor stored = encoded_linear_encoded_matrix(GetParam(), 96, 512);
  std::vector<std::int64_t> order(96);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i * 2 % 96 + i / 48);
  std::swap(order[50], order[77]);
  const std::vector<float> factors(96, 1.3f);
  for (const Tensor& w :
       {stored.take_rows(order), stored.scale_rows(factors), stored.with_value({70, 301}, 2.f)})
    for (const std::int64_t rows : {1, 3, 40}) {
      const Tensor x = random_rows(rows, 512, 1);
      ASSERT_TRUE(w.is_encoded());
      EXPECT_TRUE(reference::same_bits(linear(x, w.transpose(), {}, Axis::out),
                                       linear(x, w.packed().transpose(), {}, Axis::out)));
    }
}

TEST_P(EncodedLinear, RowsOfATable) {
  const Tensor table = encoded_linear_encoded_matrix(GetParam(), 50, 512);
  const std::vector<int> ids{3, 49, 0, 3};
  EXPECT_EQ(gather_rows(table, ids).values(), gather_rows(table.packed(), ids).values());
}

INSTANTIATE_TEST_SUITE_P(Formats, EncodedLinear,
                         ::testing::Values(DType::f16, DType::bf16, DType::q4_0, DType::q4_1, DType::q5_0,
                                           DType::q5_1, DType::q8_0, DType::q2_k, DType::q3_k, DType::q4_k,
                                           DType::q5_k, DType::q6_k, DType::iq4_nl, DType::iq4_xs,
                                           DType::mxfp4),
                         [](const auto& type) { return std::string(dtype_name(type.param)); });

}  // namespace
}  // namespace attnscope
