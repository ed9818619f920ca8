#include "core/session/jobs.h"

#include <algorithm>

namespace attnscope {
namespace {

// Long jobs (a run, a sweep, a generation) leave threads for the short ones of each frame.
constexpr std::size_t kMostThreads = 8;

}  // namespace

Jobs::~Jobs() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    for (auto& [tag, lane] : lanes_) {
      lane.waiting = nullptr;
      if (lane.running) *lane.running = true;
    }
    wake_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
}

// The one that waits longest among those whose tag is not running.
Jobs::Lanes::iterator Jobs::next_lane() {
  auto next = lanes_.end();
  for (auto at = lanes_.begin(); at != lanes_.end(); ++at)
    if (at->second.ready() && (next == lanes_.end() || at->second.turn < next->second.turn)) next = at;
  return next;
}

// Where the system gives no more threads, the existing ones do the work; without any, the job fails.
void Jobs::make_thread() {
  const auto ready =
      std::count_if(lanes_.begin(), lanes_.end(), [](const auto& at) { return at.second.ready(); });
  if (ready <= idle_ || threads_.size() >= kMostThreads) return;
  try {
    threads_.emplace_back([this] { work(); });
  } catch (...) {
    if (threads_.empty()) throw;
  }
}

void Jobs::submit(const std::string& tag, Work work, Running running) {
  std::lock_guard lock(mutex_);
  auto its_cancel = std::make_shared<std::atomic<bool>>(false);
  Lane& lane = lanes_[tag];
  if (!lane.waiting) lane.turn = ++turns_;
  lane.its_cancel = std::move(its_cancel);
  lane.waiting = std::move(work);
  if (lane.running && running == Running::stops) *lane.running = true;
  try {
    make_thread();
  } catch (...) {
    lanes_.erase(tag);
    throw;
  }
  wake_.notify_one();
}

void Jobs::cancel(const std::string& tag) {
  std::lock_guard lock(mutex_);
  const auto at = lanes_.find(tag);
  if (at == lanes_.end()) return;
  at->second.waiting = nullptr;
  if (at->second.running)
    *at->second.running = true;
  else
    lanes_.erase(at);
}

bool Jobs::busy(const std::string& tag) const {
  std::lock_guard lock(mutex_);
  const auto at = lanes_.find(tag);
  return at != lanes_.end() && (at->second.running || at->second.waiting);
}

bool Jobs::any_busy() const {
  std::lock_guard lock(mutex_);
  return std::any_of(lanes_.begin(), lanes_.end(),
                     [](const auto& lane) { return lane.second.running || lane.second.waiting; });
}

void Jobs::carry_out(const Work& work, const std::atomic<bool>& cancel) const {
  try {
    work(cancel);
  } catch (...) {
    if (cancel || !failed_) return;
    (void)guarded(Text::of("error.work.sentence"),
                  [&] { failed_(caught_error(Text::of("error.work.background"))); });
  }
}

void Jobs::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    auto at = lanes_.end();
    ++idle_;
    wake_.wait(lock, [&] { return stop_ || (at = next_lane()) != lanes_.end(); });
    --idle_;
    if (stop_) return;
    Lane& lane = at->second;
    Work work = std::exchange(lane.waiting, nullptr);
    const std::shared_ptr<std::atomic<bool>> cancel = std::move(lane.its_cancel);
    lane.running = cancel;
    lock.unlock();
    carry_out(work, *cancel);
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

}  // namespace attnscope
