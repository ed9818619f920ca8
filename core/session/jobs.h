// Work off the UI thread. A job has a tag; a newer job with the same tag takes the place of the older, which
// is cancelled or, by the caller's choice, let finish. Jobs of one tag run one after another, on a pool of
// a few threads, made when first needed. Does not block the caller; an exception in a job becomes an
// Error.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/caught.h"
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

  /// What happens to the running job of a tag when a newer one comes. While a number is dragged it is let
  /// finish, so that something is seen to move; waiting ones never queue up.
  enum class Running : std::uint8_t { stops, finishes };
  /// Replaces the waiting job of this tag, and runs `work` when a thread is free.
  void submit(const std::string& tag, Work work, Running running = Running::stops);
  /// Cancels the job of this tag.
  void cancel(const std::string& tag);
  /// A job of this tag is running or waiting.
  bool busy(const std::string& tag) const;
  /// A job of any tag is running or waiting.
  bool any_busy() const;

 private:
  struct Lane {  // what runs and what waits under one tag; gone when neither is there
    Work waiting;
    std::uint64_t turn = 0;  // of what waits
    std::shared_ptr<std::atomic<bool>> its_cancel,
        running;  // the flags of the waiting and of the running job
    bool ready() const { return waiting && !running; }
  };
  using Lanes = std::map<std::string, Lane>;
  Lanes::iterator next_lane();
  void make_thread();
  void work();
  void carry_out(const Work& work, const std::atomic<bool>& cancel) const;

  std::function<void()> ended_;
  std::function<void(Error)> failed_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  Lanes lanes_;
  std::uint64_t turns_ = 0;
  int idle_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

/// The result of a computation of a T: its value, or the error.
template <class T>
struct OutcomeOf {
  using type = Result<T>;
};
template <class T>
struct OutcomeOf<Result<T>> {
  using type = Result<T>;
};

/// One computation off the UI thread whose result is taken once: its value, or the Error of what it threw. It
/// is abandoned when it is started anew or forgotten; its result is then dropped.
template <class T>
class Job {
 public:
  using Work = std::function<T(const std::atomic<bool>& cancel)>;
  using Outcome = typename OutcomeOf<T>::type;

  /// Waits for `work` from now on; calling the returned function submits it. `work` must own all
  /// that it reads.
  std::function<void(Jobs&)> begin(std::string tag, Work work) {
    state_ = std::make_shared<State>();
    return [state = state_, tag = std::move(tag), work = std::move(work)](Jobs& jobs) {
      jobs.submit(tag, [state, work](const std::atomic<bool>& cancel) {
        std::optional<T> value;
        const Status done = guarded(Text::of("error.work.background"), [&] { value = work(cancel); });
        if (cancel) return;
        const std::lock_guard lock(state->mutex);
        if (done)
          state->outcome.emplace(*std::move(value));
        else
          state->outcome.emplace(done.error());
      });
    };
  }
  /// It was started, and its result was neither taken nor forgotten.
  bool waits() const { return state_ != nullptr; }
  void forget() { state_.reset(); }
  /// The result, once, when it is there.
  std::optional<Outcome> take() {
    if (!state_) return std::nullopt;
    const std::shared_ptr<State> state = state_;
    const std::lock_guard lock(state->mutex);
    if (state->outcome) state_.reset();
    return std::move(state->outcome);
  }

 private:
  struct State {
    std::mutex mutex;
    std::optional<Outcome> outcome;
  };
  std::shared_ptr<State> state_;
};

}  // namespace attnscope
