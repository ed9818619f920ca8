// Work beside a thread that has no frames: it waits until what it asked for is there. Each time some work is
// over it looks again.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "core/base/workers.h"

namespace attnscope {

class WorkAwaited {
 public:
  Workers& workers() { return workers_; }
  template <class Ready>
  void wait(const Ready& ready) {
    while (!ready()) {
      std::unique_lock lock(mutex_);
      (void)over_.wait_for(lock, std::chrono::milliseconds(50), [&] { return std::exchange(any_, false); });
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable over_;
  bool any_ = false;
  Workers workers_{[this] {
    const std::lock_guard lock(mutex_);
    any_ = true;
    over_.notify_all();
  }};
};

}  // namespace attnscope
