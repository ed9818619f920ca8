// This machine's limits and this process's memory, measured: the yardsticks of bench.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "core/tensor/tensor.h"

namespace attnscope::cli {

/// Seconds that `work` takes.
template <class Work>
double seconds(Work work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// The best that was seen of this machine so far. Measured again and again between the runs it is compared
/// with, so that both live under the same load.
class ProductPeak {
 public:
  ProductPeak();
  /// Multiplies 1024 x 1024 matrices `rounds` times, and numbers in registers for about as long.
  void measure(int rounds);
  double sgemm_gflop_per_s() const { return sgemm_; }
  double fma_gflop_per_s() const { return fma_; }

 private:
  std::vector<float> a_, b_, c_;
  double sgemm_ = 0, fma_ = 0;
};

class ReadBandwidth {
 public:
  /// Reads memory of the kind that weights live in: `bytes` of it, but 64 MB at least, so that no cache holds
  /// it, and 512 MB at most.
  explicit ReadBandwidth(double bytes);
  /// Reads it from end to end `rounds` times with all threads.
  void measure(int rounds);
  double gb_per_s() const { return best_; }  ///< 10^9 bytes

 private:
  Tensor values_;
  double best_ = 0;
};

/// Bytes of this process in memory now, and at most since reset_peak_memory (or since it began, where the
/// system has no reset); 0 where the system does not say.
std::int64_t memory_now();
std::int64_t memory_peak();
void reset_peak_memory();

}  // namespace attnscope::cli
