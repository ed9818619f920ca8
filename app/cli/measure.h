// This machine's limits and this process's memory, measured: the yardsticks of bench.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace attnscope::cli {

/// Seconds that `work` takes.
template <class Work>
double seconds(Work work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Best of `rounds` products of 1024 x 1024 matrices, in GFLOP/s.
double sgemm_gflops(int rounds);
/// Best of `rounds` readings of a 512 MB float buffer by all threads, in GB/s (10^9).
double read_gb_per_s(int rounds);

/// Bytes of this process in memory now, and at most since reset_peak_memory (or since it began, where the
/// system has no reset); 0 where the system does not say.
std::int64_t memory_now();
std::int64_t memory_peak();
void reset_peak_memory();

}  // namespace attnscope::cli
