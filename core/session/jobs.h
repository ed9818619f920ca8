// Work off the UI thread. A job has a tag; a newer job with the same tag takes the place of the older, which
// is cancelled or, where the caller says so, let finish. One thread per tag, made when first needed. Refuses
// to block the caller, and to end the program with a job that throws.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "core/base/result.h"

namespace attnscope {

class Jobs {
 public:
  using Work = std::function<void(const std::atomic<bool>& cancel)>;

  /// Both are called from the job's thread: `ended` whenever a job is over, `failed` before it when an
  /// exception ended one that was not cancelled.
  explicit Jobs(std::function<void()> ended = {}, std::function<void(Error)> failed = {})
      : ended_(std::move(ended)), failed_(std::move(failed)) {}
  ~Jobs();  ///< cancels everything and waits for it
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  /// What becomes of the running job of a tag when a newer one comes. While a number is dragged it is let
  /// finish, so that something is seen to move; waiting ones never queue up.
  enum class Running : std::uint8_t { stops, finishes };
  /// Takes the place of the waiting job of this tag, and runs `work` when its thread is free.
  void submit(const std::string& tag, Work work, Running running = Running::stops);
  /// Asks the job of this tag to stop.
  void cancel(const std::string& tag);
  /// A job of this tag is running or waiting.
  bool busy(const std::string& tag) const;
  /// A job of any tag is running or waiting.
  bool any_busy() const;

 private:
  struct Lane {
    std::thread thread;
    Work waiting;
    std::shared_ptr<std::atomic<bool>> its_cancel,
        running;  // the flags of the waiting and of the running job
    bool stop = false;
    std::condition_variable wake;
  };
  Lane& lane_of(const std::string& tag);
  void run(Lane& lane);
  void carry_out(const Work& work, const std::atomic<bool>& cancel) const;

  std::function<void()> ended_;
  std::function<void(Error)> failed_;
  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Lane>> lanes_;
};

}  // namespace attnscope
