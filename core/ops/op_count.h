// What products and attention multiply, counted where they do it. Refuses to count what other threads begin.
#pragma once

#include <atomic>
#include <cstdint>

namespace attnscope {

/// Multiply-adds.
struct OpCount {
  std::atomic<std::int64_t> products{0};  ///< of linear()
  std::atomic<std::int64_t> attention{
      0};  ///< of attend(): q·k and pattern·v, with what tiles compute beyond the mask
};

/// While it lives, linear() and attend() that this thread calls add to `to`, whatever threads they run on.
class CountOps {
 public:
  explicit CountOps(OpCount& to);
  ~CountOps();
  CountOps(const CountOps&) = delete;
  CountOps& operator=(const CountOps&) = delete;

 private:
  OpCount* before_;
};

/// Where this thread's calls are counted; null: nobody asks.
OpCount* op_count();

}  // namespace attnscope
