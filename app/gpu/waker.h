// A thread that wakes the window's event loop: other threads, and signal handlers, only write a byte to its
// pipe. No other thread than the window's and this one talks to the display.
#pragma once

#include <functional>

#include "core/base/no_copy.h"
#include "core/base/workers.h"

namespace attnscope {

class Waker : NoCopy {
 public:
  /// `wake` is called on the thread.
  explicit Waker(std::function<void()> wake);
  ~Waker();  ///< stops the thread

  /// Wakes through the current Waker, if there is one. Async-signal-safe.
  static void ask();

 private:
  void run();

  std::function<void()> wake_;
  int read_end_ = -1;
  Worker worker_;
};

}  // namespace attnscope
