// Jobs: somebody is told when one is over.
#include "core/session/jobs.h"

#include <gtest/gtest.h>

#include <chrono>

namespace attnscope {
namespace {

using namespace std::chrono_literals;

struct Count {
  std::mutex mutex;
  std::condition_variable changed;
  int ended = 0;
  void add() {
    const std::lock_guard lock(mutex);
    ++ended;
    changed.notify_all();
  }
  bool reaches(int wanted) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, 10s, [&] { return ended >= wanted; });
  }
};

TEST(Jobs, TellsWhenAJobIsOverAndNoLongerBusy) {
  Count count;
  std::atomic<bool> busy_at_the_end{true};
  Jobs* self = nullptr;
  Jobs jobs([&] {
    busy_at_the_end = self->busy("a");
    count.add();
  });
  self = &jobs;
  jobs.submit("a", [](const std::atomic<bool>&) {});
  ASSERT_TRUE(count.reaches(1));
  EXPECT_FALSE(busy_at_the_end);
  EXPECT_FALSE(jobs.any_busy());
}

}  // namespace
}  // namespace attnscope
