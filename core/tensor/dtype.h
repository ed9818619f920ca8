// Number formats found in files, and their expansion to float32.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace attnscope {

enum class DType : std::uint8_t { f32, f16, bf16, f64, i64, i32, i16, i8, u8, boolean };

/// "F32", "BF16", ...: the spelling of safetensors headers.
std::string_view dtype_name(DType type);
std::optional<DType> dtype_from_name(std::string_view name);
/// Bytes per value.
std::int64_t dtype_bytes(DType type);

/// IEEE 754 binary16 to float (subnormals, infinities and NaN included).
float float_from_f16(std::uint16_t bits);
/// bfloat16 to float: the upper half of the bits.
float float_from_bf16(std::uint16_t bits);
/// Expands `count` values at `from` (any alignment) into `to`.
void expand(DType type, const void* from, std::int64_t count, float* to);

}  // namespace attnscope
