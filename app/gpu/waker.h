// A thread that wakes the window: others only write a byte to its pipe, which even a signal's handler may. No
// other thread than the window's and this one talks to the display.
#pragma once

#include <functional>

#include "core/base/workers.h"

namespace attnscope {

class Waker {
 public:
  /// `wake` is called from the thread.
  explicit Waker(std::function<void()> wake);
  ~Waker();  ///< ends the thread
  Waker(const Waker&) = delete;
  Waker& operator=(const Waker&) = delete;

  /// Asks the waker that lives, if any, to wake. Safe in a signal's handler.
  static void ask();

 private:
  void run();

  std::function<void()> wake_;
  int read_end_ = -1;
  Worker worker_;
};

}  // namespace attnscope
