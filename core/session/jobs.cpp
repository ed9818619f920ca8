#include "core/session/jobs.h"

#include <algorithm>

#include "core/base/caught.h"

namespace attnscope {

Jobs::~Jobs() {
  {
    std::lock_guard lock(mutex_);
    for (auto& [tag, lane] : lanes_) {
      lane->stop = true;
      lane->waiting = nullptr;
      if (lane->running) *lane->running = true;
      lane->wake.notify_all();
    }
  }
  for (auto& [tag, lane] : lanes_) lane->thread.join();
}

Jobs::Lane& Jobs::lane_of(const std::string& tag) {
  if (const auto at = lanes_.find(tag); at != lanes_.end()) return *at->second;
  const auto at = lanes_.emplace(tag, std::make_unique<Lane>()).first;
  try {
    at->second->thread = std::thread([this, lane = at->second.get()] { run(*lane); });
  } catch (...) {
    lanes_.erase(at);  // the system gives no more threads
    throw;
  }
  return *at->second;
}

void Jobs::submit(const std::string& tag, Work work, Running running) {
  std::lock_guard lock(mutex_);
  Lane& lane = lane_of(tag);
  lane.its_cancel = std::make_shared<std::atomic<bool>>(false);
  lane.waiting = std::move(work);
  if (lane.running && running == Running::stops) *lane.running = true;
  lane.wake.notify_one();
}

void Jobs::cancel(const std::string& tag) {
  std::lock_guard lock(mutex_);
  const auto at = lanes_.find(tag);
  if (at == lanes_.end()) return;
  at->second->waiting = nullptr;
  if (at->second->running) *at->second->running = true;
}

bool Jobs::busy(const std::string& tag) const {
  std::lock_guard lock(mutex_);
  const auto at = lanes_.find(tag);
  return at != lanes_.end() && (at->second->running || at->second->waiting);
}

bool Jobs::any_busy() const {
  std::lock_guard lock(mutex_);
  return std::any_of(lanes_.begin(), lanes_.end(),
                     [](const auto& lane) { return lane.second->running || lane.second->waiting; });
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

void Jobs::run(Lane& lane) {
  std::unique_lock lock(mutex_);
  for (;;) {
    lane.wake.wait(lock, [&] { return lane.stop || lane.waiting; });
    if (lane.stop) return;
    Work work = std::move(lane.waiting);
    lane.waiting = nullptr;
    const std::shared_ptr<std::atomic<bool>> cancel = std::move(lane.its_cancel);
    lane.running = cancel;
    lock.unlock();
    carry_out(work, *cancel);
    work = nullptr;  // what it held is released outside of the lock
    lock.lock();
    lane.running = nullptr;
    if (lane.stop) return;
    lock.unlock();
    if (ended_) ended_();
    lock.lock();
  }
}

}  // namespace attnscope
