// The threads of the program: how work is shared among them, and in which order orders are carried out.
#include "core/base/workers.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <set>
#include <string>

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

std::shared_ptr<Going> going() {
  auto out = std::make_shared<Going>();
  out->wanted = std::make_shared<Wanted>();
  return out;
}

TEST(Workers, TellWhenWorkIsOverAndTheyAreNoLongerBusy) {
  Count count;
  std::atomic<bool> busy_at_the_end{true};
  Workers* self = nullptr;
  Workers workers([&] {
    busy_at_the_end = self->any_busy();
    count.add();
  });
  self = &workers;
  workers.submit(Workers::new_number(), going(), [] {});
  ASSERT_TRUE(count.reaches(1));
  EXPECT_FALSE(busy_at_the_end);
  EXPECT_FALSE(workers.any_busy());
}

// More lanes than threads: none waits for ever, none runs twice at a time.
TEST(Workers, ManyLanesShareAFewThreads) {
  constexpr int kLanes = 40;
  Count count;
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::array<std::atomic<int>, kLanes> running{};
  std::atomic<bool> twice{false};
  Workers workers([&] { count.add(); });
  for (int lane = 0; lane < kLanes; ++lane)
    workers.submit(Workers::new_number(), going(), [&, lane] {
      if (running[static_cast<std::size_t>(lane)]++ != 0) twice = true;
      std::this_thread::sleep_for(2ms);
      --running[static_cast<std::size_t>(lane)];
      const std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
    });
  ASSERT_TRUE(count.reaches(kLanes));
  EXPECT_FALSE(twice);
  EXPECT_GT(threads.size(), 1u);
  EXPECT_LE(threads.size(), 8u);
  EXPECT_FALSE(workers.any_busy());
}

// Long work of one lane holds up neither the others nor the newest of its own.
TEST(Workers, ShortWorkDoesNotWaitForALongOne) {
  Count count;
  std::atomic<bool> go{false}, ran{false};
  Workers workers([&] { count.add(); });
  const std::uint64_t lane = Workers::new_number();
  workers.submit(lane, going(), [&] {
    while (!go) std::this_thread::sleep_for(1ms);
  });
  workers.submit(Workers::new_number(), going(), [] {});
  EXPECT_TRUE(count.reaches(1));
  EXPECT_TRUE(workers.any_busy());
  const auto dropped = going();
  workers.submit(lane, dropped, [&] { ran = true; });
  dropped->wanted->dropped = true;
  go = true;
  ASSERT_TRUE(count.reaches(3));
  EXPECT_FALSE(ran) << "it was cancelled before its turn";
  EXPECT_FALSE(workers.any_busy());
}

TEST(Workers, LeavingCancelsWhatRuns) {
  std::atomic<bool> begun{false}, cancelled{false};
  {
    Workers workers;
    const auto one = going();
    workers.submit(Workers::new_number(), one, [&, one] {
      begun = true;
      while (!one->wanted->ends) std::this_thread::sleep_for(50us);
      cancelled = true;
    });
    while (!begun) std::this_thread::sleep_for(50us);
  }
  EXPECT_TRUE(cancelled);
}

TEST(Worker, CarriesOutOrdersInTheirSequenceAndGoesOnBetweenThem) {
  std::string told;  // of the thread alone until finish()
  std::atomic<int> left{3};
  Worker worker([&] { return left > 0; },
                [&] {
                  told += 'i';
                  --left;
                });
  EXPECT_FALSE(worker.busy());
  EXPECT_FALSE(worker.order_now([] {})) << "no thread was begun";
  worker.order([&] { told += 'a'; });
  worker.order([&] { told += 'b'; });
  worker.finish();
  EXPECT_EQ(told, "abiii");
  std::atomic<bool> go{false}, begun{false};
  worker.order([&] {
    begun = true;
    while (!go) std::this_thread::sleep_for(50us);
    told += 'c';
  });
  worker.order([&] { told += 'e'; });
  std::thread opens([&] {
    std::this_thread::sleep_for(50ms);
    go = true;
  });
  while (!begun) std::this_thread::sleep_for(50us);  // else 'd' may come before 'c'
  EXPECT_TRUE(worker.order_now([&] { told += 'd'; }));
  opens.join();
  worker.finish();
  EXPECT_EQ(told, "abiiicde");
  worker.end();
  EXPECT_FALSE(worker.busy());
}

}  // namespace
}  // namespace attnscope
