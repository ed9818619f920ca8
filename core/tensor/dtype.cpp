#include "core/tensor/dtype.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace attnscope {
namespace {

struct Row {
  DType type;
  std::string_view name;
  std::int64_t bytes;
};
constexpr std::array<Row, 10> kTypes{{{DType::f32, "F32", 4},
                                      {DType::f16, "F16", 2},
                                      {DType::bf16, "BF16", 2},
                                      {DType::f64, "F64", 8},
                                      {DType::i64, "I64", 8},
                                      {DType::i32, "I32", 4},
                                      {DType::i16, "I16", 2},
                                      {DType::i8, "I8", 1},
                                      {DType::u8, "U8", 1},
                                      {DType::boolean, "BOOL", 1}}};

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

std::string_view dtype_name(DType type) { return kTypes[static_cast<std::size_t>(type)].name; }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (const Row& row : kTypes)
    if (row.name == name) return row.type;
  return std::nullopt;
}

std::int64_t dtype_bytes(DType type) { return kTypes[static_cast<std::size_t>(type)].bytes; }

float float_from_f16(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1F;
  const std::uint32_t mantissa = bits & 0x3FF;
  if (exponent == 0) {
    const float magnitude = std::ldexp(static_cast<float>(mantissa), -24);
    return sign ? -magnitude : magnitude;
  }
  const std::uint32_t wide = exponent == 31 ? 0xFF : exponent + 112;
  return std::bit_cast<float>(sign | (wide << 23) | (mantissa << 13));
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
  }
}

}  // namespace attnscope
