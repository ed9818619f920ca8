// Work off the UI thread. A job has a tag; a newer job with the same tag cancels the older and takes its
// place. One thread per tag, made when first needed. Refuses to block the caller.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace attnscope {

class Jobs {
 public:
  using Work = std::function<void(const std::atomic<bool>& cancel)>;

  /// `ended` is called from the job's thread whenever a job is over.
  explicit Jobs(std::function<void()> ended = {}) : ended_(std::move(ended)) {}
  ~Jobs();  ///< cancels everything and waits for it
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  /// Cancels the running and the waiting job of this tag, and runs `work` when its thread is free.
  void submit(const std::string& tag, Work work);
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
    std::shared_ptr<std::atomic<bool>> running;  // its cancel flag
    bool stop = false;
    std::condition_variable wake;
  };
  void run(Lane& lane);

  std::function<void()> ended_;
  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Lane>> lanes_;
};

}  // namespace attnscope
