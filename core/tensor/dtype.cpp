#include "core/tensor/dtype.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "core/tensor/dequantise.h"

namespace attnscope {
namespace {

struct DtypeRow {
  DType type;
  std::string_view name;
  std::int64_t bytes;       // of one block
  std::int64_t values = 1;  // in one block
};
constexpr std::array<DtypeRow, 23> kTypes{{{DType::f32, "F32", 4},
                                           {DType::f16, "F16", 2},
                                           {DType::bf16, "BF16", 2},
                                           {DType::f64, "F64", 8},
                                           {DType::i64, "I64", 8},
                                           {DType::i32, "I32", 4},
                                           {DType::i16, "I16", 2},
                                           {DType::i8, "I8", 1},
                                           {DType::u8, "U8", 1},
                                           {DType::boolean, "BOOL", 1},
                                           {DType::q4_0, "Q4_0", 18, 32},
                                           {DType::q4_1, "Q4_1", 20, 32},
                                           {DType::q5_0, "Q5_0", 22, 32},
                                           {DType::q5_1, "Q5_1", 24, 32},
                                           {DType::q8_0, "Q8_0", 34, 32},
                                           {DType::q2_k, "Q2_K", 84, 256},
                                           {DType::q3_k, "Q3_K", 110, 256},
                                           {DType::q4_k, "Q4_K", 144, 256},
                                           {DType::q5_k, "Q5_K", 176, 256},
                                           {DType::q6_k, "Q6_K", 210, 256},
                                           {DType::iq4_nl, "IQ4_NL", 18, 32},
                                           {DType::iq4_xs, "IQ4_XS", 136, 256},
                                           {DType::mxfp4, "MXFP4", 17, 32}}};

const DtypeRow& row_of(DType type) { return kTypes[static_cast<std::size_t>(type)]; }

template <class T, class Convert>
void expand_as(const void* from, std::int64_t count, float* to, Convert convert) {
  const char* p = static_cast<const char*>(from);
  for (std::int64_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, p + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
    to[i] = convert(value);
  }
}

}  // namespace

std::string_view dtype_name(DType type) { return row_of(type).name; }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (const DtypeRow& row : kTypes)
    if (row.name == name && row.values == 1) return row.type;
  return std::nullopt;
}

bool is_integer(DType type) { return type >= DType::i64 && type <= DType::boolean; }

std::int64_t block_values(DType type) { return row_of(type).values; }

std::int64_t dtype_bytes(DType type) { return row_of(type).bytes; }

std::int64_t storage_bytes(DType type, std::int64_t count) {
  return count / block_values(type) * dtype_bytes(type);
}

// Without branches, so that whole rows go at once: the exponent is moved to its place and mended by a
// multiplication (which makes subnormals normal), and the largest one stands for infinities and NaN.
float float_from_f16(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  const std::int32_t wide = (bits & 0x7FFF) << 13;
  const auto finite = std::bit_cast<std::uint32_t>(std::bit_cast<float>(wide) * 0x1p112f);
  const std::uint32_t endless = wide >= 0x0F800000 ? 0x7F800000u : 0u;
  return std::bit_cast<float>(sign | finite | endless);
}

float float_from_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

void expand(DType type, const void* from, std::int64_t count, float* to) {
  const auto as_float = [](auto v) { return static_cast<float>(v); };
  switch (type) {
    case DType::f32: std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float)); return;
    case DType::f16: return expand_as<std::uint16_t>(from, count, to, float_from_f16);
    case DType::bf16: return expand_as<std::uint16_t>(from, count, to, float_from_bf16);
    case DType::f64: return expand_as<double>(from, count, to, as_float);
    case DType::i64: return expand_as<std::int64_t>(from, count, to, as_float);
    case DType::i32: return expand_as<std::int32_t>(from, count, to, as_float);
    case DType::i16: return expand_as<std::int16_t>(from, count, to, as_float);
    case DType::i8: return expand_as<std::int8_t>(from, count, to, as_float);
    case DType::u8:
    case DType::boolean: return expand_as<std::uint8_t>(from, count, to, as_float);
    default: return dequantise(type, from, count, to);
  }
}

void expand_range(DType type, const void* from, std::int64_t begin, std::int64_t end, float* to) {
  const std::int64_t width = block_values(type);
  const auto* bytes = static_cast<const std::byte*>(from);
  std::array<float, 256> block;
  while (begin < end) {
    const std::int64_t inside = begin % width;
    const std::byte* at = bytes + storage_bytes(type, begin - inside);
    std::int64_t count = (end - begin) / width * width;  // whole blocks straight to their place
    if (inside == 0 && count > 0) {
      expand(type, at, count, to);
    } else {
      count = std::min(width - inside, end - begin);
      expand(type, at, width, block.data());
      std::copy_n(block.data() + inside, count, to);
    }
    begin += count;
    to += count;
  }
}

}  // namespace attnscope
