// Counts the multiply-adds of products and attention. Counts only what the calling thread starts.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/base/no_copy.h"

namespace attnscope {

/// Multiply-adds.
struct OpCount {
  std::atomic<std::int64_t> products{0};  ///< of linear()
  std::atomic<std::int64_t> attention{
      0};  ///< of attend(): q·k and pattern·v, including what tiles compute beyond the mask
};

/// While it lives, linear() and attend() that this thread calls add to `to`, whatever threads they run on.
class CountOps : NoCopy {
 public:
  explicit CountOps(OpCount& to);
  ~CountOps();

 private:
  OpCount* before_;
};

/// The counter of this thread's calls; null where nothing is counted.
OpCount* op_count();

}  // namespace attnscope
