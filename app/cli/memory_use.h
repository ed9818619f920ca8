// Memory of this process as reported by the system.
#pragma once

#include <cstdint>

namespace attnscope::cli {

/// Resident bytes of this process now, and their peak since reset_peak_memory() (since its start on systems
/// without a reset); 0 if the system does not report them.
std::int64_t memory_now();
std::int64_t memory_peak();
void reset_peak_memory();

}  // namespace attnscope::cli
