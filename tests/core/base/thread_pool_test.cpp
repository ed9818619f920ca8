// The pool: every index once, from any thread, also nested; nothing to do at rest.
#include "core/base/thread_pool.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace attnscope {
namespace {

using Milliseconds = std::chrono::milliseconds;

// Processor time of all threads of this process.
double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

void expect_every_index_once(std::int64_t count, std::int64_t grain) {
  std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
  parallel_for(count, grain, [&](std::int64_t begin, std::int64_t end) {
    for (; begin < end; ++begin) ++seen[static_cast<std::size_t>(begin)];
  });
  for (const auto& times : seen) ASSERT_EQ(times, 1) << count << " by " << grain;
}

TEST(ThreadPool, EveryIndexOnce) {
  for (const std::int64_t count : {0, 1, 2, 3, 17, 1000})
    for (const std::int64_t grain : {0, 1, 4, 999}) expect_every_index_once(count, grain);
}

// In whatever thread a piece throws, the caller gets it when no other piece runs; the pool works on.
TEST(ThreadPool, AnExceptionReachesTheCaller) {
  for (const std::int64_t bad : {0, 1, 7, 63}) {
    std::atomic<int> inside{0};
    const auto loop = [&] {
      parallel_for(64, 1, [&](std::int64_t begin, std::int64_t end) {
        ++inside;
        const bool throws = begin <= bad && bad < end;
        std::this_thread::sleep_for(Milliseconds(1));
        --inside;
        if (throws) throw std::runtime_error("piece " + std::to_string(bad));
      });
    };
    EXPECT_THROW(loop(), std::runtime_error);
    EXPECT_EQ(inside, 0);
    expect_every_index_once(1000, 1);
  }
  EXPECT_THROW(parallel_for(1, 1, [](std::int64_t, std::int64_t) { throw std::bad_alloc(); }),
               std::bad_alloc);
}

TEST(ThreadPool, ManyShortLoopsOneAfterTheOther) {
  for (int round = 0; round < 20000; ++round) {
    std::atomic<std::int64_t> sum{0};
    parallel_for(64, 1, [&](std::int64_t begin, std::int64_t end) {
      for (; begin < end; ++begin) sum += begin;
    });
    ASSERT_EQ(sum, 63 * 64 / 2);
  }
}

TEST(ThreadPool, LoopsAfterARestFindTheWorkers) {
  for (int round = 0; round < 50; ++round) {
    std::this_thread::sleep_for(Milliseconds(round % 3));
    expect_every_index_once(100, 1);
  }
}

TEST(ThreadPool, SeveralCallersAtOnce) {
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([] {
      for (int round = 0; round < 500; ++round) expect_every_index_once(50, 1);
    });
  for (auto& caller : callers) caller.join();
}

TEST(ThreadPool, ALoopInsideOfALoopRunsThere) {
  std::atomic<std::int64_t> sum{0};
  parallel_for(8, 1, [&](std::int64_t begin, std::int64_t end) {
    for (; begin < end; ++begin)
      parallel_for(10, 1, [&](std::int64_t from, std::int64_t to) { sum += to - from; });
  });
  EXPECT_EQ(sum, 80);
}

// taskset, a container or a job of Slurm: two threads on one core take turns, and every loop waits for the
// other.
TEST(ThreadPoolDeathTest, ACoreThatIsNotOursGetsNoThread) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own, which has asked for nothing yet
  const auto count_on_one_core = [] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    std::exit(sched_setaffinity(0, sizeof one, &one) == 0 ? thread_count() : 99);
  };
  EXPECT_EXIT(count_on_one_core(), ::testing::ExitedWithCode(1), "");
}

TEST(ThreadPool, AtRestNothingRuns) {
  expect_every_index_once(100, 1);
  std::this_thread::sleep_for(Milliseconds(20));
  const double before = cpu_ms();
  std::this_thread::sleep_for(Milliseconds(300));
  EXPECT_LT(cpu_ms() - before, 5);
}

}  // namespace
}  // namespace attnscope
