// The threads of the program: nothing outside of core/base starts one. Workers is a pool for what Computed<T>
// (core/base/computed.h) computes; Worker is one thread that belongs to its owner, for work that lasts.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/no_copy.h"

namespace attnscope {

/// Whether computations are still wanted; one for all that a Computed has under way.
struct Wanted {
  std::atomic<bool> ends{false};     ///< they should return soon: the cancel flag that models take
  std::atomic<bool> dropped{false};  ///< what they return is for nobody
};
/// One computation on its way, shared by whoever asked for it and the thread that carries it out.
struct Going {
  std::shared_ptr<Wanted> wanted;
  std::atomic<bool> done{false};
  std::atomic<float> share{0};  ///< of the work, 0..1
};

/// A pool of at most 8 threads, made when first needed. Work is handed over in lanes: that of one lane runs
/// one after another, and of what waits in a lane only the newest is carried out.
class Workers : NoCopy {
 public:
  using Work = std::function<void()>;

  /// `ended` is called from a thread of the pool whenever some work is over: it wakes the window's loop.
  explicit Workers(std::function<void()> ended = {}) : ended_(std::move(ended)) {}
  ~Workers();  ///< cancels everything and waits for it

  /// Takes the place of what waits in this lane. `work` catches what it throws; it is left out where it was
  /// cancelled before its turn. Throws where the system gives no thread.
  void submit(std::uint64_t lane, std::shared_ptr<Going> going, Work work);
  /// Some work is running or waiting.
  bool any_busy() const;
  /// A number that nothing else has: of a lane, of a value.
  static std::uint64_t new_number();

 private:
  struct Lane {  // what runs and what waits; gone when neither is there
    Work waiting;
    std::uint64_t turn = 0;  // of what waits
    std::shared_ptr<Going> next, running;
    bool ready() const { return waiting && !running; }
  };
  using Lanes = std::map<std::uint64_t, Lane>;
  Lanes::iterator next_lane();
  void make_thread();
  void work();

  std::function<void()> ended_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  Lanes lanes_;
  std::uint64_t turns_ = 0;
  int idle_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

/// One thread that carries out orders in their sequence and, while there are none, `idle` over and over as
/// long as `goes_on` says so. Both catch what they throw.
class Worker : NoCopy {
 public:
  explicit Worker(std::function<bool()> goes_on = {}, std::function<void()> idle = {})
      : goes_on_(std::move(goes_on)), idle_(std::move(idle)) {}
  ~Worker() { end(); }

  /// The thread begins with the first order. Throws where the system gives none.
  void order(std::function<void()> what);
  /// Ends the thread after the work in hand; what was ordered and not begun is dropped.
  void end();
  /// An order is being carried out or waits.
  bool busy() const;
  /// Carries out `what` before all other orders and returns when it is done; false where no thread was begun.
  bool order_now(const std::function<void()>& what);
  /// Returns when no order is left and nothing goes on. For pictures and tests.
  void finish() const;

 private:
  void work();

  std::function<bool()> goes_on_;
  std::function<void()> idle_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::deque<std::function<void()>> orders_;
  bool at_work_ = false, ending_ = false;
  std::thread thread_;
};

}  // namespace attnscope
