// Jobs: somebody is told when one is over.
#include "core/session/jobs.h"

#include <gtest/gtest.h>

#include <chrono>
#include <new>
#include <stdexcept>
#include <vector>

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

// While something is dragged: what runs is let finish, and only the newest waits.
TEST(Jobs, ARunningJobMayFinishAndOnlyTheNewestWaits) {
  Count count, begun;
  std::atomic<bool> go{false}, stopped{false};
  std::vector<int> ran;  // written by the one thread of the tag
  Jobs jobs([&] { count.add(); });
  jobs.submit("a", [&](const std::atomic<bool>& cancel) {
    begun.add();
    while (!go) std::this_thread::sleep_for(1ms);
    stopped = cancel.load();
    ran.push_back(0);
  });
  ASSERT_TRUE(begun.reaches(1));
  for (int i = 1; i <= 50; ++i)
    jobs.submit(
        "a", [&, i](const std::atomic<bool>&) { ran.push_back(i); }, Jobs::Running::finishes);
  go = true;
  ASSERT_TRUE(count.reaches(2));
  EXPECT_FALSE(stopped);
  EXPECT_EQ(ran, (std::vector<int>{0, 50}));
}

TEST(Jobs, AnExceptionIsToldAndTheNextJobRuns) {
  Count count;
  std::vector<Error> told;
  Jobs jobs([&] { count.add(); }, [&](Error error) { told.push_back(std::move(error)); });
  jobs.submit("a", [](const std::atomic<bool>&) { throw std::bad_alloc(); });
  ASSERT_TRUE(count.reaches(1));
  EXPECT_FALSE(jobs.any_busy());
  jobs.submit("a", [](const std::atomic<bool>&) { throw std::length_error("too long"); });
  ASSERT_TRUE(count.reaches(2));
  bool ran = false;
  jobs.submit("a", [&](const std::atomic<bool>&) { ran = true; });
  ASSERT_TRUE(count.reaches(3));
  EXPECT_TRUE(ran);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].code, Code::no_memory);
  EXPECT_NE(told[1].sentence().find("too long"), std::string::npos);
}

}  // namespace
}  // namespace attnscope
