#include "core/tensor/dequantise.h"

#include <array>
#include <bit>

#include "core/base/result.h"

namespace attnscope {
namespace {

using Byte = std::uint8_t;

// The half-precision number whose low byte is at `p`.
float half(const Byte* p) {
  return float_from_f16(static_cast<std::uint16_t>(p[0] | (static_cast<unsigned>(p[1]) << 8)));
}

// ---- 32 values, one scale (and one minimum) -------------------------------------------------------
// Nibbles: the low ones of 16 bytes are values 0-15, the high ones 16-31.

void block_q4_0(const Byte* p, float* to) {
  const float scale = half(p);
  for (int i = 0; i < 16; ++i) {
    to[i] = scale * static_cast<float>((p[2 + i] & 15) - 8);
    to[i + 16] = scale * static_cast<float>((p[2 + i] >> 4) - 8);
  }
}

void block_q4_1(const Byte* p, float* to) {
  const float scale = half(p), least = half(p + 2);
  for (int i = 0; i < 16; ++i) {
    to[i] = scale * static_cast<float>(p[4 + i] & 15) + least;
    to[i + 16] = scale * static_cast<float>(p[4 + i] >> 4) + least;
  }
}

// The fifth bit of value i is bit i of four bytes.
void five_bits(const Byte* high, const Byte* nibbles, int* q) {
  for (int i = 0; i < 16; ++i) {
    q[i] = (nibbles[i] & 15) | (((high[i / 8] >> (i % 8)) & 1) << 4);
    q[i + 16] = (nibbles[i] >> 4) | (((high[2 + i / 8] >> (i % 8)) & 1) << 4);
  }
}

void block_q5_0(const Byte* p, float* to) {
  int q[32];
  five_bits(p + 2, p + 6, q);
  const float scale = half(p);
  for (int i = 0; i < 32; ++i) to[i] = scale * static_cast<float>(q[i] - 16);
}

void block_q5_1(const Byte* p, float* to) {
  int q[32];
  five_bits(p + 4, p + 8, q);
  const float scale = half(p), least = half(p + 2);
  for (int i = 0; i < 32; ++i) to[i] = scale * static_cast<float>(q[i]) + least;
}

void block_q8_0(const Byte* p, float* to) {
  const float scale = half(p);
  for (int i = 0; i < 32; ++i) to[i] = scale * static_cast<float>(static_cast<std::int8_t>(p[2 + i]));
}

// Nibbles as in Q4_0 that are numbers of a table.
void looked_up_nibbles(const Byte* q, const std::array<std::int8_t, 16>& table, float scale, float* to) {
  for (int i = 0; i < 16; ++i) {
    to[i] = scale * static_cast<float>(table[q[i] & 15]);
    to[i + 16] = scale * static_cast<float>(table[q[i] >> 4]);
  }
}

constexpr std::array<std::int8_t, 16> kUneven{-127, -104, -83, -65, -49, -35, -22, -10,
                                              1,    13,   25,  38,  53,  69,  89,  113};
void block_iq4_nl(const Byte* p, float* to) { looked_up_nibbles(p + 2, kUneven, half(p), to); }

// The exponent of twice the scale, then nibbles that are floats of four bits (E2M1), here twice their value.
void block_mxfp4(const Byte* p, float* to) {
  constexpr std::array<std::int8_t, 16> kTwice{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
  const std::uint32_t exponent = p[0];
  const std::uint32_t bits = exponent < 2 ? 0x00200000u << exponent : (exponent - 1) << 23;
  looked_up_nibbles(p + 1, kTwice, std::bit_cast<float>(bits), to);
}

// ---- 256 values in groups -------------------------------------------------------------------------

// Scales [16] (low nibble: scale, high nibble: minimum), 64 bytes of 2-bit values, scale, scale of minima.
// Each half of 128 values takes 32 bytes: bits 2j and 2j+1 of byte i are value 32 j + i.
void block_q2_k(const Byte* p, float* to) {
  const float scale = half(p + 80), least = half(p + 82);
  for (int group = 0; group < 16; ++group) {
    const Byte* q = p + 16 + group / 8 * 32 + group % 2 * 16;
    const int shift = group % 8 / 2 * 2;
    const float d = scale * static_cast<float>(p[group] & 15), m = least * static_cast<float>(p[group] >> 4);
    for (int i = 0; i < 16; ++i) *to++ = d * static_cast<float>((q[i] >> shift) & 3) - m;
  }
}

// 32 bytes of third bits, 64 of 2-bit values (as Q2_K), 12 of 6-bit scales, scale. A third bit that is not
// set takes 4 away; scale g has its low 4 bits in nibble g of 8 bytes and its high 2 in 4 bytes more.
void block_q3_k(const Byte* p, float* to) {
  const Byte* scales = p + 96;
  const float scale = half(p + 108);
  for (int group = 0; group < 16; ++group) {
    const Byte *high = p + group % 2 * 16, *q = p + 32 + group / 8 * 32 + group % 2 * 16;
    const int shift = group % 8 / 2 * 2, bit = group / 2;
    const int low = (scales[group % 8] >> (group / 8 * 4)) & 15,
              top = (scales[8 + group % 4] >> (group / 4 * 2)) & 3;
    const float d = scale * static_cast<float>((low | (top << 4)) - 32);
    for (int i = 0; i < 16; ++i)
      *to++ = d * static_cast<float>(((q[i] >> shift) & 3) - (((high[i] >> bit) & 1) ? 0 : 4));
  }
}

// 6-bit scale and minimum of group g (0-7) from the 12 bytes that Q4_K and Q5_K share.
struct ScaleMin {
  int scale, least;
  ScaleMin(const Byte* s, int g) {
    if (g < 4) {
      scale = s[g] & 63;
      least = s[g + 4] & 63;
    } else {
      scale = (s[g + 4] & 15) | ((s[g - 4] >> 6) << 4);
      least = (s[g + 4] >> 4) | ((s[g] >> 6) << 4);
    }
  }
};

// Scale, scale of minima, 12 bytes of group scales, 128 bytes: byte i of each 32 holds value i of an even
// group in its low nibble and of the next group in its high one.
void block_q4_k(const Byte* p, float* to) {
  const float scale = half(p), least = half(p + 2);
  for (int group = 0; group < 8; ++group) {
    const ScaleMin s(p + 4, group);
    const Byte* q = p + 16 + group / 2 * 32;
    const int shift = group % 2 * 4;
    const float d = scale * static_cast<float>(s.scale), m = least * static_cast<float>(s.least);
    for (int i = 0; i < 32; ++i) *to++ = d * static_cast<float>((q[i] >> shift) & 15) - m;
  }
}

// As Q4_K with 32 bytes of fifth bits before the nibbles: bit g of byte i belongs to value i of group g.
void block_q5_k(const Byte* p, float* to) {
  const float scale = half(p), least = half(p + 2);
  const Byte* high = p + 16;
  for (int group = 0; group < 8; ++group) {
    const ScaleMin s(p + 4, group);
    const Byte* q = p + 48 + group / 2 * 32;
    const int shift = group % 2 * 4;
    const float d = scale * static_cast<float>(s.scale), m = least * static_cast<float>(s.least);
    for (int i = 0; i < 32; ++i) {
      const int value = ((q[i] >> shift) & 15) | (((high[i] >> group) & 1) << 4);
      *to++ = d * static_cast<float>(value) - m;
    }
  }
}

// 128 bytes of low nibbles, 64 of upper 2 bits, 16 signed scales, scale. Each half of 128 values takes 64
// nibble bytes and 32 bytes of upper bits; quarter j of it has bits 2j and 2j+1 of the latter.
void block_q6_k(const Byte* p, float* to) {
  const float scale = half(p + 208);
  for (int group = 0; group < 16; ++group) {  // 16 values each, one scale
    const int part = group / 2 % 4, shift = part / 2 * 4, top = part * 2;
    const Byte *low = p + group / 8 * 64 + part % 2 * 32 + group % 2 * 16,
               *high = p + 128 + group / 8 * 32 + group % 2 * 16;
    const float d = scale * static_cast<float>(static_cast<std::int8_t>(p[192 + group]));
    for (int i = 0; i < 16; ++i) {
      const int q = ((low[i] >> shift) & 15) | (((high[i] >> top) & 3) << 4);
      *to++ = d * static_cast<float>(q - 32);
    }
  }
}

// Scale, the upper 2 bits of 8 scales, their lower 4, and nibbles as in IQ4_NL.
void block_iq4_xs(const Byte* p, float* to) {
  const float scale = half(p);
  for (int group = 0; group < 8; ++group) {
    const int low = (p[4 + group / 2] >> (group % 2 * 4)) & 15,
              high = (p[2 + group / 4] >> (group % 4 * 2)) & 3;
    looked_up_nibbles(p + 8 + 16 * group, kUneven, scale * static_cast<float>((low | (high << 4)) - 32),
                      to + 32 * group);
  }
}

template <void (*Block)(const Byte*, float*)>
void each_block(DType type, const void* from, std::int64_t count, float* to) {
  const auto* p = static_cast<const Byte*>(from);
  const std::int64_t values = block_values(type), bytes = dtype_bytes(type);
  for (; count >= values; count -= values, p += bytes, to += values) Block(p, to);
}

}  // namespace

void dequantise(DType type, const void* from, std::int64_t count, float* to) {
  CHECK(block_values(type) > 1 && count % block_values(type) == 0);
  switch (type) {
    case DType::q4_0: return each_block<block_q4_0>(type, from, count, to);
    case DType::q4_1: return each_block<block_q4_1>(type, from, count, to);
    case DType::q5_0: return each_block<block_q5_0>(type, from, count, to);
    case DType::q5_1: return each_block<block_q5_1>(type, from, count, to);
    case DType::q8_0: return each_block<block_q8_0>(type, from, count, to);
    case DType::q2_k: return each_block<block_q2_k>(type, from, count, to);
    case DType::q3_k: return each_block<block_q3_k>(type, from, count, to);
    case DType::q4_k: return each_block<block_q4_k>(type, from, count, to);
    case DType::q5_k: return each_block<block_q5_k>(type, from, count, to);
    case DType::iq4_nl: return each_block<block_iq4_nl>(type, from, count, to);
    case DType::iq4_xs: return each_block<block_iq4_xs>(type, from, count, to);
    case DType::mxfp4: return each_block<block_mxfp4>(type, from, count, to);
    default: return each_block<block_q6_k>(type, from, count, to);
  }
}

}  // namespace attnscope
