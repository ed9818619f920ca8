// This process's memory, as the system counts it.
#pragma once

#include <cstdint>

namespace attnscope::cli {

/// Bytes of this process in memory now, and at most since reset_peak_memory (or since it began, where the
/// system has no reset); 0 where the system does not say.
std::int64_t memory_now();
std::int64_t memory_peak();
void reset_peak_memory();

}  // namespace attnscope::cli
