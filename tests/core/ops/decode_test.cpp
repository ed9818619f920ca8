// Encoded weights decoded straight into panels have the bits that expand() gives them: every format, scales
// down to subnormal ones and of both signs, rows in order and in any other, on every instruction set.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "core/ops/kernels.h"
#include "tests/core/ops/score_cases.h"

namespace attnscope {
namespace {

using Bytes = std::vector<std::uint8_t>;

// Random bytes; what is half precision is finite.
Bytes decode_rows_of(DType type, std::int64_t rows, std::int64_t width) {
  std::mt19937_64 random(static_cast<std::uint64_t>(type));
  Bytes bytes(static_cast<std::size_t>(storage_bytes(type, rows * width)));
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  const std::int64_t size = dtype_bytes(type), at = type == DType::q6_k ? 208 : 0;
  constexpr std::uint8_t kExponents[]{0x00, 0x04, 0x20, 0x34, 0x78};
  for (std::int64_t block = 0; block < std::ssize(bytes) && type != DType::mxfp4; block += size)
    for (const std::int64_t high : {at + 1, at + 3})
      if (high < size) {
        std::uint8_t& byte = bytes[static_cast<std::size_t>(block + high)];
        byte = static_cast<std::uint8_t>((byte & 0x83) | kExponents[random() % 5]);
      }
  return bytes;
}

void expect_decoded(DType type, const Bytes& bytes, std::int64_t width,
                    const std::vector<std::int64_t>& order) {
  const Kernels& kernel = kernels();
  const std::int64_t unit = kernel.decoded_unit(type), n = std::ssize(order);
  const std::int64_t ld = kernel.columns;
  std::vector<const std::uint8_t*> rows;
  std::vector<float> expected(static_cast<std::size_t>(n * width));
  for (std::int64_t j = 0; j < n; ++j) {
    rows.push_back(bytes.data() + storage_bytes(type, order[static_cast<std::size_t>(j)] * width));
    expand(type, rows.back(), width, expected.data() + j * width);
  }
  std::vector<float> x(static_cast<std::size_t>(width));
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = std::sin(0.7f * static_cast<float>(k) + 0.1f);
  for (const auto& [first, depth] : {std::pair{std::int64_t{0}, width}, {unit, unit}, {width - unit, unit}}) {
    std::vector<float> panel(static_cast<std::size_t>(depth * ld), -1.f);
    kernel.decode(type, rows.data(), n, first, depth, panel.data());
    for (std::int64_t k = 0; k < depth; ++k)
      for (std::int64_t j = 0; j < n; ++j)
        ASSERT_EQ(std::memcmp(&panel[static_cast<std::size_t>(k * ld + j)],
                              &expected[static_cast<std::size_t>(j * width + first + k)], sizeof(float)),
                  0)
            << dtype_name(type) << " row " << j << " value " << first + k;
    // The product with one row: that of the panel.
    std::vector<float> product(static_cast<std::size_t>(ld), 0.5f), same = product;
    kernel.multiply(x.data(), width, 1, panel.data(), ld, product.data(), ld, product.data(), ld, 1, n,
                    depth);
    kernel.multiply_row(type, rows.data(), n, first, depth, n, x.data(), same.data());
    ASSERT_EQ(std::memcmp(product.data(), same.data(), product.size() * sizeof(float)), 0)
        << dtype_name(type) << " of " << n << " rows from value " << first;
  }
}

TEST(Decode, HasTheBitsOfExpand) {
  constexpr std::int64_t kRows = 140, kWidth = 512;
  for (const DType type : {DType::f16, DType::bf16, DType::q4_0, DType::q8_0, DType::q4_k, DType::q5_k,
                           DType::q6_k, DType::iq4_nl, DType::iq4_xs, DType::mxfp4}) {
    const Bytes bytes = decode_rows_of(type, kRows, kWidth);
    reference::with_every_kernel([&] {
      const Kernels& kernel = kernels();
      ASSERT_GT(kernel.decoded_unit(type), 0);
      for (const std::int64_t n : {std::int64_t{1}, kernel.width, kernel.width + 1, kernel.columns}) {
        std::vector<std::int64_t> in_order, in_pairs, mixed;
        for (std::int64_t j = 0; j < n; ++j) {
          in_order.push_back(3 + j);
          in_pairs.push_back(2 * j);
          mixed.push_back(j * 37 % kRows);
        }
        for (const auto& order : {in_order, in_pairs, mixed}) expect_decoded(type, bytes, kWidth, order);
      }
    });
  }
}

TEST(Decode, KnowsNothingOfOtherFormats) {
  reference::with_every_kernel([] {
    for (const DType type : {DType::f32, DType::i8, DType::q4_1, DType::q5_0, DType::q2_k, DType::q3_k})
      EXPECT_EQ(kernels().decoded_unit(type), 0) << dtype_name(type);
  });
}

}  // namespace
}  // namespace attnscope
