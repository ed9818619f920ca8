// Number formats found in files, and their expansion to float32. Plain formats hold every value on its own;
// the Q formats of GGUF hold blocks of values that share a scale, and are expanded block by block
// (dequantise.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace attnscope {

enum class DType : std::uint8_t {
  f32,
  f16,
  bf16,
  f64,
  i64,
  i32,
  i16,
  i8,
  u8,
  boolean,
  q4_0,
  q4_1,
  q5_0,
  q5_1,
  q8_0,
  q2_k,
  q3_k,
  q4_k,
  q5_k,
  q6_k,
  iq4_nl,
  iq4_xs,
  mxfp4
};

/// "F32", "BF16", ...: the spelling of safetensors headers; "Q4_0", "Q6_K": that of GGUF.
std::string_view dtype_name(DType type);
/// A plain format by its name in safetensors headers; formats of blocks are not among them.
std::optional<DType> dtype_from_name(std::string_view name);
/// True for whole numbers and booleans.
bool is_integer(DType type);
/// Values that are stored together: 1, 32 or 256. A row is always a whole number of blocks.
std::int64_t block_values(DType type);
/// Bytes of one block; of one value where block_values is 1.
std::int64_t dtype_bytes(DType type);
/// Bytes of `count` values, a whole number of blocks.
std::int64_t storage_bytes(DType type, std::int64_t count);

/// IEEE 754 binary16 to float (subnormals, infinities and NaN included).
float float_from_f16(std::uint16_t bits);
/// bfloat16 to float: the upper half of the bits.
float float_from_bf16(std::uint16_t bits);
/// Expands `count` values (a whole number of blocks) at `from` (any alignment) into `to`.
void expand(DType type, const void* from, std::int64_t count, float* to);
/// Expands values [begin, end) of those that start at `from`; blocks may be cut.
void expand_range(DType type, const void* from, std::int64_t begin, std::int64_t end, float* to);

}  // namespace attnscope
