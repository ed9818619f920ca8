#include "core/session/jobs.h"

#include <algorithm>

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

void Jobs::submit(const std::string& tag, Work work) {
  std::lock_guard lock(mutex_);
  auto& lane = lanes_[tag];
  if (!lane) {
    lane = std::make_unique<Lane>();
    lane->thread = std::thread([this, at = lane.get()] { run(*at); });
  }
  if (lane->running) *lane->running = true;
  lane->waiting = std::move(work);
  lane->wake.notify_one();
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

void Jobs::run(Lane& lane) {
  std::unique_lock lock(mutex_);
  for (;;) {
    lane.wake.wait(lock, [&] { return lane.stop || lane.waiting; });
    if (lane.stop) return;
    Work work = std::move(lane.waiting);
    lane.waiting = nullptr;
    const auto cancel = std::make_shared<std::atomic<bool>>(false);
    lane.running = cancel;
    lock.unlock();
    work(*cancel);
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
