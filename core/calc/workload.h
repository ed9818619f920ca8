// The workload that a model is sized for: sequence length, batch, number formats.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/calc/count.h"

namespace attnscope {

/// A format that weights or a cache are stored in. Blocks of quantised formats bring their scales along:
/// q8_0 stores 32 values in 34 bytes.
struct Format {
  std::string name;
  int bytes_of_32;  ///< bytes that 32 values take
  Count bytes(Count values) const { return values * Count(bytes_of_32) / 32; }
};
/// f32, bf16, f16, f8, int8, int4, q8_0, q5_0, q4_0, q4_k.
const std::vector<Format>& formats();
/// Bytes in powers of 1024, as sizes of caches are usually given: "192 MiB".
std::string binary_bytes(Count bytes);

/// By its name or a common one ("float16", "fp16", "bfloat16"). Errors: no such format; they list all.
Result<Format> format_named(const std::string& name);

struct Workload {
  std::int64_t seq = 2048;   ///< positions of the main stack
  std::int64_t batch = 1;    ///< sequences side by side
  std::int64_t source = 0;   ///< positions of an encoder; 0: as many as `seq`
  Format dtype{"bf16", 64};  ///< of weights
  Format cache{"bf16", 64};  ///< of keys and values
  std::int64_t source_rows() const { return source > 0 ? source : seq; }
};
/// Errors: a number below 1 or above 2^40.
Status check_workload(const Workload& work);

}  // namespace attnscope
