// Products with weights that stay encoded, against the same product with the weights expanded first.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/ops/ops.h"
#include "core/tensor/encoded.h"

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
  for (std::byte& byte : *bytes) byte = static_cast<std::byte>(random() & 0x2F);
  return Tensor::encoded(std::make_shared<Encoded>(bytes, bytes->data(), type, rows, cols),
                         {{Axis::none, rows}, {Axis::none, cols}});
}

double relative(const Tensor& a, const Tensor& b) {
  return max_abs_difference(a, b) / (1e-30 + stats(b).l2 / std::sqrt(static_cast<double>(b.count())));
}

class EncodedLinear : public ::testing::TestWithParam<DType> {};

TEST_P(EncodedLinear, EqualsTheExpandedProduct) {
  const Tensor stored = encoded_linear_encoded_matrix(GetParam(), 1000, 768);
  for (const std::int64_t rows : {1, 3, 4, 5, 40, 300}) {
    const Tensor x = random_rows(rows, 768, 1), bias = random_rows(1, 1000, 2).select(0, 0);
    const Tensor w = stored.transpose();  // [in, out], as Linear stores it
    const Tensor y = linear(x, w, bias, Axis::out);
    EXPECT_LE(relative(y, linear(x, w.packed(), bias, Axis::out)), 1e-5) << rows;
    const Tensor same_layout = linear(x, stored.packed().transpose(), bias, Axis::out);
    if (rows <= 4) {
      EXPECT_EQ(max_abs_difference(y, same_layout), 0) << rows;
    }
    EXPECT_LE(relative(y, same_layout), 1e-6) << rows;
    const Tensor part = linear(x, w.slice(1, 100, 164), bias.slice(0, 100, 164), Axis::out);
    EXPECT_LE(relative(part, y.slice(1, 100, 164)), 1e-5) << rows;
    const Tensor columns = random_rows(rows, 1000, 3);  // [in, out] stored as it is, as Conv1D does
    EXPECT_LE(
        relative(linear(columns, stored, {}, Axis::out), linear(columns, stored.packed(), {}, Axis::out)),
        1e-5)
        << rows;
  }
}

TEST_P(EncodedLinear, RowsOfATable) {
  const Tensor table = encoded_linear_encoded_matrix(GetParam(), 50, 512);
  const std::vector<int> ids{3, 49, 0, 3};
  EXPECT_EQ(gather_rows(table, ids).values(), gather_rows(table.packed(), ids).values());
}

INSTANTIATE_TEST_SUITE_P(Formats, EncodedLinear,
                         ::testing::Values(DType::f16, DType::bf16, DType::q8_0, DType::q4_k),
                         [](const auto& type) { return std::string(dtype_name(type.param)); });

}  // namespace
}  // namespace attnscope
