// Every block format against a second decoder that reads one value at a time, straight from the published
// layout of a block: which bits of which bytes are value i.
#include "core/tensor/dequantise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

namespace attnscope {
namespace {

using Bytes = std::vector<std::uint8_t>;

// `count` bits that begin at bit `from` of the block, least significant first.
int bits(const std::uint8_t* block, int byte, int bit, int count) {
  int value = 0;
  for (int i = 0; i < count; ++i) value |= ((block[byte + (bit + i) / 8] >> ((bit + i) % 8)) & 1) << i;
  return value;
}

double half_at(const std::uint8_t* block, int byte) {
  const int exponent = bits(block, byte, 10, 5), fraction = bits(block, byte, 0, 10);
  const double sign = bits(block, byte, 15, 1) ? -1 : 1;
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

int signed_byte(const std::uint8_t* block, int byte) {
  return block[byte] < 128 ? block[byte] : block[byte] - 256;
}

// Value i of a 32-value block: nibble i of 16 bytes counted low nibbles first.
int nibble32(const std::uint8_t* block, int byte, int i) { return bits(block, byte + i % 16, i / 16 * 4, 4); }

// 6-bit scale and minimum of sub-block g of Q4_K and Q5_K; the 12 bytes begin at `byte`.
std::pair<int, int> scale_and_min(const std::uint8_t* block, int byte, int g) {
  if (g < 4) return {bits(block, byte + g, 0, 6), bits(block, byte + 4 + g, 0, 6)};
  return {bits(block, byte + 4 + g, 0, 4) + 16 * bits(block, byte + g - 4, 6, 2),
          bits(block, byte + 4 + g, 4, 4) + 16 * bits(block, byte + g, 6, 2)};
}

double value_of_k(DType type, const std::uint8_t* b, int i) {
  const int half = i / 128, in_half = i % 128, plane = in_half / 32, column = i % 32, group = i / 16;
  switch (type) {
    case DType::q2_k: {
      const int q = bits(b, 16 + half * 32 + column, plane * 2, 2);
      return half_at(b, 80) * bits(b, group, 0, 4) * q - half_at(b, 82) * bits(b, group, 4, 4);
    }
    case DType::q3_k: {
      const int low = bits(b, 32 + half * 32 + column, plane * 2, 2),
                third = bits(b, column, half * 4 + plane, 1);
      const int scale =
          bits(b, 96 + group % 8, group / 8 * 4, 4) + 16 * bits(b, 104 + group % 4, group / 4 * 2, 2);
      return half_at(b, 108) * (scale - 32) * (low + 4 * third - 4);
    }
    case DType::q4_k: {
      const auto [scale, least] = scale_and_min(b, 4, i / 32);
      return half_at(b, 0) * scale * bits(b, 16 + i / 64 * 32 + column, i / 32 % 2 * 4, 4) -
             half_at(b, 2) * least;
    }
    case DType::q5_k: {
      const auto [scale, least] = scale_and_min(b, 4, i / 32);
      const int q =
          bits(b, 48 + i / 64 * 32 + column, i / 32 % 2 * 4, 4) + 16 * bits(b, 16 + column, i / 32, 1);
      return half_at(b, 0) * scale * q - half_at(b, 2) * least;
    }
    default: {
      const int low = bits(b, half * 64 + in_half % 64, in_half / 64 * 4, 4);
      const int q = low + 16 * bits(b, 128 + half * 32 + column, plane * 2, 2);
      return half_at(b, 208) * signed_byte(b, 192 + group) * (q - 32);
    }
  }
}

// The numbers that the codes of IQ4 and MXFP4 stand for (E2M1: sign, two bits of exponent, one of fraction).
int uneven(int code) {
  constexpr int kNumbers[]{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
  return kNumbers[code];
}

double tiny_float(int code) {
  const int exponent = code / 2 % 4, fraction = code % 2;
  const double size = exponent == 0 ? 0.5 * fraction : std::ldexp(1 + 0.5 * fraction, exponent - 1);
  return code < 8 ? size : -size;
}

double value_of(DType type, const std::uint8_t* b, int i) {
  switch (type) {
    case DType::iq4_nl: return half_at(b, 0) * uneven(nibble32(b, 2, i));
    case DType::mxfp4: return std::ldexp(tiny_float(nibble32(b, 1, i)), b[0] - 127);
    case DType::iq4_xs: {
      const int group = i / 32;
      const int scale = bits(b, 4 + group / 2, group % 2 * 4, 4) + 16 * bits(b, 2, 2 * group, 2);
      return half_at(b, 0) * (scale - 32) * uneven(nibble32(b, 8 + 16 * group, i % 32));
    }
    case DType::q4_0: return half_at(b, 0) * (nibble32(b, 2, i) - 8);
    case DType::q4_1: return half_at(b, 0) * nibble32(b, 4, i) + half_at(b, 2);
    case DType::q5_0: return half_at(b, 0) * (nibble32(b, 6, i) + 16 * bits(b, 2, i, 1) - 16);
    case DType::q5_1: return half_at(b, 0) * (nibble32(b, 8, i) + 16 * bits(b, 4, i, 1)) + half_at(b, 2);
    case DType::q8_0: return half_at(b, 0) * signed_byte(b, 2 + i);
    default: return value_of_k(type, b, i);
  }
}

// Where the half-precision numbers of a block stand: their exponents are kept small, so that every value is
// finite and of a size at which an error shows.
std::vector<int> halves_of(DType type) {
  switch (type) {
    case DType::q4_0:
    case DType::q5_0:
    case DType::iq4_nl:
    case DType::iq4_xs:
    case DType::q8_0: return {0};
    case DType::mxfp4: return {};
    case DType::q2_k: return {80, 82};
    case DType::q3_k: return {108};
    case DType::q6_k: return {208};
    default: return {0, 2};
  }
}

Bytes random_blocks(DType type, int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto size = static_cast<std::size_t>(dtype_bytes(type));
  Bytes bytes(size * static_cast<std::size_t>(count));
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  for (std::size_t block = 0; block < bytes.size(); block += size) {
    if (type == DType::mxfp4) bytes[block] = static_cast<std::uint8_t>(125 + bytes[block] % 4);
    for (const int at : halves_of(type)) {
      std::uint8_t& upper = bytes[block + static_cast<std::size_t>(at) + 1];
      upper = static_cast<std::uint8_t>((upper & 0x83) | 0x34);  // 2^-2 .. 2^-1, either sign
    }
  }
  return bytes;
}

class Dequantise : public ::testing::TestWithParam<DType> {};

TEST_P(Dequantise, AgreesWithReadingBitByBit) {
  const DType type = GetParam();
  const int blocks = 40, values = static_cast<int>(block_values(type));
  const Bytes bytes = random_blocks(type, blocks, 5);
  std::vector<float> out(static_cast<std::size_t>(blocks * values));
  dequantise(type, bytes.data(), blocks * values, out.data());
  double largest = 0;
  for (int i = 0; i < blocks * values; ++i) {
    const double expected = value_of(type, bytes.data() + i / values * dtype_bytes(type), i % values);
    ASSERT_NEAR(out[static_cast<std::size_t>(i)], expected, 1e-6 * (1 + std::fabs(expected))) << i;
    largest = std::max(largest, std::fabs(expected));
  }
  EXPECT_GT(largest, 2.0);
}

TEST_P(Dequantise, AnyPieceEqualsTheWhole) {
  const DType type = GetParam();
  const std::int64_t values = block_values(type), count = 5 * values;
  const Bytes bytes = random_blocks(type, 5, 6);
  std::vector<float> whole(static_cast<std::size_t>(count)), piece(whole.size());
  expand(type, bytes.data(), count, whole.data());
  std::mt19937_64 random(7);
  for (int i = 0; i < 200; ++i) {
    const auto begin = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count));
    const auto end =
        begin + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count - begin + 1));
    expand_range(type, bytes.data(), begin, end, piece.data());
    for (std::int64_t k = begin; k < end; ++k)
      ASSERT_EQ(piece[static_cast<std::size_t>(k - begin)], whole[static_cast<std::size_t>(k)])
          << begin << " " << end;
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Dequantise,
                         ::testing::Values(DType::q4_0, DType::q4_1, DType::q5_0, DType::q5_1, DType::q8_0,
                                           DType::q2_k, DType::q3_k, DType::q4_k, DType::q5_k, DType::q6_k,
                                           DType::iq4_nl, DType::iq4_xs, DType::mxfp4),
                         [](const auto& type) { return std::string(dtype_name(type.param)); });

TEST(PlainFormats, EveryHalf) {
  for (int bits = 0; bits < 65536; ++bits) {
    const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
    const double size =
        exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    const float value = float_from_f16(static_cast<std::uint16_t>(bits));
    EXPECT_EQ(std::signbit(value), bits >= 32768) << bits;
    if (exponent < 31)
      EXPECT_EQ(std::fabs(value), size) << bits;
    else if (fraction == 0)
      EXPECT_TRUE(std::isinf(value)) << bits;
    else
      EXPECT_TRUE(std::isnan(value)) << bits;
  }
}

TEST(PlainFormats, PiecesOfHalves) {
  const std::vector<std::uint16_t> halves{0x3C00, 0xC000, 0x3555, 0x0001},
      brains{0x3F80, 0xC000, 0x3EAB, 0x0001};
  float out[2];
  expand_range(DType::f16, halves.data(), 1, 3, out);
  EXPECT_EQ(out[0], -2.f);
  EXPECT_NEAR(out[1], 1. / 3, 1e-4);
  expand_range(DType::bf16, brains.data(), 1, 3, out);
  EXPECT_EQ(out[0], -2.f);
  EXPECT_NEAR(out[1], 1. / 3, 2e-3);
  EXPECT_EQ(dtype_from_name("Q4_0"), std::nullopt);
  EXPECT_EQ(storage_bytes(DType::q6_k, 512), 420);
}

}  // namespace
}  // namespace attnscope
