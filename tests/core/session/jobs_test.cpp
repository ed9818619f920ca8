// Jobs: somebody is told when one is over.
#include "core/session/jobs.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <new>
#include <set>
#include <stdexcept>
#include <thread>
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

// More tags than threads: none waits for ever, none runs twice at a time, and each keeps its order.
TEST(Jobs, ManyTagsShareAFewThreads) {
  constexpr int kTags = 40;
  Count count;
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::array<std::atomic<int>, kTags> running{};
  std::atomic<bool> twice{false};
  Jobs jobs([&] { count.add(); });
  for (int tag = 0; tag < kTags; ++tag)
    jobs.submit(std::to_string(tag), [&, tag](const std::atomic<bool>&) {
      if (running[static_cast<std::size_t>(tag)]++ != 0) twice = true;
      std::this_thread::sleep_for(2ms);
      --running[static_cast<std::size_t>(tag)];
      const std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
    });
  ASSERT_TRUE(count.reaches(kTags));
  EXPECT_FALSE(twice);
  EXPECT_GT(threads.size(), 1u);
  EXPECT_LE(threads.size(), 8u);
  EXPECT_FALSE(jobs.any_busy());
}

// A long job of one tag holds up neither the others nor the newest of its own.
TEST(Jobs, AShortJobDoesNotWaitForALongOne) {
  Count count;
  std::atomic<bool> go{false};
  Jobs jobs([&] { count.add(); });
  jobs.submit("long", [&](const std::atomic<bool>&) {
    while (!go) std::this_thread::sleep_for(1ms);
  });
  jobs.submit("short", [](const std::atomic<bool>&) {});
  EXPECT_TRUE(count.reaches(1));
  EXPECT_TRUE(jobs.busy("long"));
  jobs.submit(
      "long", [](const std::atomic<bool>&) {}, Jobs::Running::finishes);
  jobs.cancel("long");  // what waits is gone, what runs is asked to stop
  go = true;
  ASSERT_TRUE(count.reaches(2));
  EXPECT_FALSE(jobs.any_busy());
}

TEST(Job, IsTakenOnceWithItsValueOrItsError) {
  Count count;
  Jobs jobs([&] { count.add(); });
  Job<int> job;
  EXPECT_FALSE(job.waits());
  EXPECT_FALSE(job.take());
  job.begin("a", [](const std::atomic<bool>&) { return 7; })(jobs);
  EXPECT_TRUE(job.waits());
  ASSERT_TRUE(count.reaches(1));
  const auto seven = job.take();
  ASSERT_TRUE(seven && *seven);
  EXPECT_EQ(**seven, 7);
  EXPECT_FALSE(job.take());
  EXPECT_FALSE(job.waits());
  job.begin("a", [](const std::atomic<bool>&) -> int { throw std::bad_alloc(); })(jobs);
  ASSERT_TRUE(count.reaches(2));
  const auto none = job.take();
  ASSERT_TRUE(none && !*none);
  EXPECT_EQ(none->error().code, Code::no_memory);
  Job<Result<int>> flat;  // an Error of its own is no other than that of an exception
  flat.begin("b", [](const std::atomic<bool>&) -> Result<int> {
    return fail(Code::not_found, "error.work.background");
  })(jobs);
  ASSERT_TRUE(count.reaches(3));
  const auto missing = flat.take();
  ASSERT_TRUE(missing && !*missing);
  EXPECT_EQ(missing->error().code, Code::not_found);
}

TEST(Job, BegunAnewOrForgottenTheOlderResultReachesNobody) {
  Count count;
  std::atomic<bool> go{false};
  Jobs jobs([&] { count.add(); });
  Job<int> job;
  job.begin("a", [&](const std::atomic<bool>&) {
    while (!go) std::this_thread::sleep_for(1ms);
    return 1;
  })(jobs);
  job.begin("b", [](const std::atomic<bool>&) { return 2; })(jobs);
  ASSERT_TRUE(count.reaches(1));
  go = true;
  ASSERT_TRUE(count.reaches(2));
  const auto two = job.take();
  ASSERT_TRUE(two && *two);
  EXPECT_EQ(**two, 2);
  job.begin("a", [](const std::atomic<bool>&) { return 3; })(jobs);
  job.forget();
  ASSERT_TRUE(count.reaches(3));
  EXPECT_FALSE(job.take());
}

}  // namespace
}  // namespace attnscope
