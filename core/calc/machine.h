// Peak arithmetic and memory bandwidth of machines. This one is measured (about a second); others are from
// their data sheets.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/tensor/tensor.h"

namespace attnscope {

/// Seconds that `work` takes.
template <class Work>
double seconds(Work work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// The best rate measured on this machine so far. Measured again and again between the runs it is compared
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

struct Machine {
  std::string name;        ///< "a100"
  double flops_per_s = 0;  ///< of its fastest matrix products in the format that its makers name
  double bytes_per_s = 0;  ///< of its memory
  /// FLOPs per byte from which on arithmetic is what limits (Williams et al. 2009).
  double ridge() const { return bytes_per_s > 0 ? flops_per_s / bytes_per_s : 0; }
};
inline constexpr const char* kThisMachine = "this";
/// Accelerators by their data sheets, dense bf16: a100, h100, h200, rtx4090, l4.
const std::vector<Machine>& machines();
/// One of them, or "FLOPS,BYTES" per second ("312e12,2.04e12"). Errors: neither. `kThisMachine` is not among
/// them: it is measured.
Result<Machine> machine_named(const std::string& name);
/// Measures sgemm and memory on all threads for about a second. Empty when it was cancelled.
std::optional<Machine> measure_machine(const std::atomic<bool>* cancel = nullptr);

/// A piece of work on the roofline of a machine.
struct Roof {
  double intensity = 0;  ///< FLOPs for each byte from memory
  double compute_s = 0, memory_s = 0;
  double seconds() const { return compute_s > memory_s ? compute_s : memory_s; }
  bool memory_bound() const { return memory_s > compute_s; }
};
Roof under_roof(const Machine& machine, double flops, double bytes);

}  // namespace attnscope
