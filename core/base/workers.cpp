#include "core/base/workers.h"

#include <algorithm>
#include <utility>

namespace attnscope {
namespace {

// Long computations (a run, a sweep, a generation) leave room for the short ones that a frame asks for.
constexpr std::size_t kMostThreads = 8;

}  // namespace

std::uint64_t Workers::new_number() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    for (auto& [number, lane] : lanes_) {
      lane.waiting = nullptr;
      if (lane.running) lane.running->wanted->ends = true;
    }
    wake_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
}

// The one that waits longest among those whose lane is not running.
Workers::Lanes::iterator Workers::next_lane() {
  auto next = lanes_.end();
  for (auto at = lanes_.begin(); at != lanes_.end(); ++at)
    if (at->second.ready() && (next == lanes_.end() || at->second.turn < next->second.turn)) next = at;
  return next;
}

// Where the system gives no more threads, those that are there do the work; without any, it is thrown.
void Workers::make_thread() {
  const auto ready =
      std::count_if(lanes_.begin(), lanes_.end(), [](const auto& at) { return at.second.ready(); });
  if (ready <= idle_ || threads_.size() >= kMostThreads) return;
  try {
    threads_.emplace_back([this] { work(); });
  } catch (...) {
    if (threads_.empty()) throw;
  }
}

void Workers::submit(std::uint64_t number, std::shared_ptr<Going> going, Work work) {
  const std::lock_guard lock(mutex_);
  Lane& lane = lanes_[number];
  if (!lane.waiting) lane.turn = ++turns_;
  lane.next = std::move(going);
  lane.waiting = std::move(work);
  try {
    make_thread();
  } catch (...) {
    lanes_.erase(number);
    throw;
  }
  wake_.notify_one();
}

bool Workers::any_busy() const {
  const std::lock_guard lock(mutex_);
  return std::any_of(lanes_.begin(), lanes_.end(),
                     [](const auto& lane) { return lane.second.running || lane.second.waiting; });
}

void Workers::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    auto at = lanes_.end();
    ++idle_;
    wake_.wait(lock, [&] { return stop_ || (at = next_lane()) != lanes_.end(); });
    --idle_;
    if (stop_) return;
    Lane& lane = at->second;
    Work work = std::exchange(lane.waiting, nullptr);
    lane.running = std::move(lane.next);
    const std::shared_ptr<Going> going = lane.running;
    lock.unlock();
    if (!going->wanted->dropped) work();
    work = nullptr;  // what it held is released outside of the lock
    lock.lock();
    lane.running = nullptr;
    if (!lane.waiting) lanes_.erase(at);
    if (stop_) return;
    lock.unlock();
    if (ended_) ended_();
    lock.lock();
  }
}

void Worker::order(std::function<void()> what) {
  const std::lock_guard lock(mutex_);
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  orders_.push_back(std::move(what));
  changed_.notify_all();
}

bool Worker::order_now(const std::function<void()>& what) {
  std::unique_lock lock(mutex_);
  if (!thread_.joinable()) return false;
  bool done = false;
  orders_.push_front([&] {
    what();
    const std::lock_guard keep(mutex_);
    done = true;
  });
  changed_.notify_all();
  changed_.wait(lock, [&] { return done; });
  return true;
}

void Worker::end() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

bool Worker::busy() const {
  const std::lock_guard lock(mutex_);
  return at_work_ || !orders_.empty();
}

void Worker::finish() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return orders_.empty() && !at_work_ && !(goes_on_ && goes_on_()); });
}

void Worker::work() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    std::function<void()> next;
    if (!orders_.empty()) {
      next = std::move(orders_.front());
      orders_.pop_front();
    } else if (goes_on_ && goes_on_()) {
      next = idle_;
    } else {
      changed_.wait(lock);
      continue;
    }
    at_work_ = true;
    lock.unlock();
    next();
    next = nullptr;
    lock.lock();
    at_work_ = false;
    changed_.notify_all();
  }
}

}  // namespace attnscope
