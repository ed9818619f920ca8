// Expansion of GGUF's block formats (Q4_0 ... Q8_0, IQ4_NL, MXFP4: 32 values with one scale; Q2_K ... Q6_K,
// IQ4_XS: 256 values whose 16 or 8 groups have small integer scales under one or two half-precision ones).
// Plain formats (F32, F16, BF16, integers) are expanded by dtype.h.
#pragma once

#include <cstdint>

#include "core/tensor/dtype.h"

namespace attnscope {

/// Expands `count` values, a whole number of blocks, at `from` (any alignment) into `to`. `type` is a block
/// format; anything else is our mistake (CHECK).
void dequantise(DType type, const void* from, std::int64_t count, float* to);

}  // namespace attnscope
