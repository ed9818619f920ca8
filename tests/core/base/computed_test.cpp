// What a background value is handed out for: its own key, or an older one that says so; what was cancelled or
// superseded is never seen.
#include "core/base/computed.h"

#include <gtest/gtest.h>

#include <chrono>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

namespace attnscope {
namespace {

using namespace std::chrono_literals;
using Cancel = const std::atomic<bool>&;

class ComputedTest : public ::testing::Test {
 protected:
  /// One frame's question; `gate` null: the work is done at once, else when the gate opens.
  Made<int> ask(std::uint64_t subject, std::uint64_t key, const std::atomic<bool>* gate = nullptr,
                Older older = Older::stops) {
    return value_.get_or_before(
        subject, key, workers_,
        [key, gate](Cancel) {
          while (gate && !*gate) std::this_thread::sleep_for(50us);
          return static_cast<int>(key);
        },
        older);
  }
  void finish() const {
    while (workers_.any_busy()) std::this_thread::sleep_for(50us);
  }

  Workers workers_;
  Computed<int> value_;
};

TEST_F(ComputedTest, AnOlderValueIsGivenForTheSameSubjectAndSaysSo) {
  EXPECT_FALSE(ask(1, 10));
  finish();
  const Made<int> first = ask(1, 10);
  ASSERT_TRUE(first);
  EXPECT_EQ(*first, 10);
  EXPECT_TRUE(first.fresh);
  std::atomic<bool> gate = false;
  const Made<int> older = ask(1, 11, &gate);
  ASSERT_TRUE(older);
  EXPECT_EQ(*older, 10);
  EXPECT_FALSE(older.fresh);
  EXPECT_TRUE(value_.under_way());
  EXPECT_FALSE(ask(2, 12, &gate)) << "of another model: nothing to show";
  gate = true;
  finish();
  const Made<int> newest = ask(2, 12);
  ASSERT_TRUE(newest);
  EXPECT_EQ(*newest, 12);
  EXPECT_TRUE(newest.fresh);
  EXPECT_NE(newest.serial, first.serial);
  EXPECT_FALSE(value_.under_way());
}

TEST_F(ComputedTest, GetNeverGivesTheValueOfAnotherKey) {
  const auto get = [&](std::uint64_t key) {
    return value_.get(key, workers_, [key](Cancel) { return static_cast<int>(key); });
  };
  EXPECT_EQ(get(1), nullptr);
  finish();
  ASSERT_NE(get(1), nullptr);
  EXPECT_EQ(get(2), nullptr);
  finish();
  EXPECT_EQ(*get(2), 2);
}

TEST_F(ComputedTest, WhatWasSupersededIsNeverSeen) {
  std::atomic<bool> gate = false;
  EXPECT_FALSE(ask(1, 10, &gate));
  EXPECT_FALSE(ask(1, 20, &gate));
  gate = true;
  finish();
  const Made<int> made = ask(1, 20);
  ASSERT_TRUE(made);
  EXPECT_EQ(*made, 20);
  EXPECT_TRUE(made.fresh);
}

TEST_F(ComputedTest, TheNewestWins) {
  std::atomic<int> finished{0};
  for (int i = 1; i <= 20; ++i)
    value_.begin(workers_, [&, i](Cancel cancel) {
      for (int step = 0; step < 50 && !cancel; ++step) std::this_thread::sleep_for(1ms);
      if (!cancel) ++finished;
      return i;
    });
  finish();
  const auto last = value_.take();
  ASSERT_TRUE(last && *last);
  EXPECT_EQ(**last, 20);
  EXPECT_LE(finished, 2);
}

TEST_F(ComputedTest, WhatWasCancelledIsNeverSeenAndIsAskedForAnew) {
  std::atomic<bool> gate = false, ended = false;
  value_.begin(0, 7, workers_, [&](const Computed<int>::Progress& progress) {
    progress.show(1);
    while (!gate) std::this_thread::sleep_for(50us);
    ended = progress.cancel().load();
    progress.show(2);
    return 3;
  });
  while (!value_.arrived()) std::this_thread::sleep_for(50us);
  EXPECT_TRUE(value_.asked(7));
  value_.cancel();
  EXPECT_FALSE(value_.asked(7));
  EXPECT_FALSE(value_.under_way());
  gate = true;
  finish();
  EXPECT_TRUE(ended);
  EXPECT_FALSE(value_.arrived());
  EXPECT_EQ(value_.newest(), nullptr);
}

// Also while its values arrive all the time: run under ThreadSanitizer.
TEST_F(ComputedTest, OfManyKeysNoneIsTakenForAnother) {
  int seen = 0;
  for (std::uint64_t key = 1; key <= 2000; ++key) {
    const Made<int> made = value_.get_or_before(
        1, key, workers_,
        [key](const Computed<int>::Progress& progress) {
          if (progress.taken()) progress.show(static_cast<int>(key));
          progress.share(0.5f);
          return static_cast<int>(key);
        },
        key % 3 == 0 ? Older::finishes : Older::stops);
    EXPECT_LE(made ? *made : 0, static_cast<int>(key));
    EXPECT_TRUE(!made.fresh || *made == static_cast<int>(key));
    if (key % 5 == 0) std::this_thread::sleep_for(20us);
    if (key % 7 == 0) {
      value_.cancel();
      EXPECT_FALSE(value_.arrived());
    }
    seen += made ? 1 : 0;
  }
  finish();
  EXPECT_GT(seen, 0);
}

// While something is dragged: what runs is completed and seen as older, and only the newest waits.
TEST_F(ComputedTest, WhatRunsMayFinishAndOnlyTheNewestWaits) {
  std::atomic<bool> gate{false}, begun{false}, stopped{false};
  std::vector<int> ran;  // written by the one thread of the lane
  value_.begin(1, 0, workers_, [&](Cancel cancel) {
    begun = true;
    while (!gate) std::this_thread::sleep_for(50us);
    stopped = cancel.load();
    ran.push_back(0);
    return 0;
  });
  while (!begun) std::this_thread::sleep_for(50us);
  for (int i = 1; i <= 50; ++i)
    value_.begin(
        1, static_cast<std::uint64_t>(i), workers_,
        [&, i](Cancel) {
          ran.push_back(i);
          return i;
        },
        Older::finishes);
  gate = true;
  finish();
  EXPECT_FALSE(stopped);
  EXPECT_EQ(ran, (std::vector<int>{0, 50}));
  EXPECT_EQ(*ask(1, 50), 50);
}

TEST_F(ComputedTest, WhatFinishesIsCancelledWithTheNewest) {
  std::atomic<bool> gate{false}, begun{false}, stopped{false};
  value_.begin(1, 1, workers_, [&](Cancel cancel) {
    begun = true;
    while (!gate) std::this_thread::sleep_for(50us);
    stopped = cancel.load();
    return 1;
  });
  while (!begun) std::this_thread::sleep_for(50us);
  value_.begin(
      1, 2, workers_, [](Cancel) { return 2; }, Older::finishes);
  value_.cancel();
  gate = true;
  finish();
  EXPECT_TRUE(stopped);
  EXPECT_EQ(value_.newest(), nullptr);
}

TEST_F(ComputedTest, IsTakenOnceWithItsValueOrItsError) {
  EXPECT_FALSE(value_.waits());
  EXPECT_FALSE(value_.take());
  value_.begin(workers_, [](Cancel) { return 7; });
  EXPECT_TRUE(value_.waits());
  finish();
  EXPECT_TRUE(value_.waits());
  const auto seven = value_.take();
  ASSERT_TRUE(seven && *seven);
  EXPECT_EQ(**seven, 7);
  EXPECT_FALSE(value_.take());
  EXPECT_FALSE(value_.waits());
  value_.begin(workers_, [](Cancel) -> int { throw std::bad_alloc(); });
  finish();
  const auto none = value_.take();
  ASSERT_TRUE(none && !*none);
  EXPECT_EQ(none->error().code(), Code::no_memory);
  Computed<Result<int>> flat;  // an Error of its own is no other than that of an exception
  flat.begin(workers_, [](Cancel) -> Result<int> { return fail(Code::not_found, "error.work.background"); });
  finish();
  const auto missing = flat.take();
  ASSERT_TRUE(missing && !*missing);
  EXPECT_EQ(missing->error().code(), Code::not_found);
}

TEST_F(ComputedTest, BegunAnewOrForgottenTheOlderResultReachesNobody) {
  std::atomic<bool> gate{false};
  value_.begin(workers_, [&](Cancel) {
    while (!gate) std::this_thread::sleep_for(50us);
    return 1;
  });
  value_.begin(workers_, [](Cancel) { return 2; });
  gate = true;
  finish();
  const auto two = value_.take();
  ASSERT_TRUE(two && *two);
  EXPECT_EQ(**two, 2);
  value_.begin(workers_, [](Cancel) { return 3; });
  value_.forget();
  finish();
  EXPECT_FALSE(value_.take());
  value_.compute([](Cancel) { return 4; });  // on this thread
  const auto four = value_.take();
  ASSERT_TRUE(four && *four);
  EXPECT_EQ(**four, 4);
}

TEST_F(ComputedTest, WhatItThrewIsThrownWhereItIsAskedForAndAskedForAnew) {
  const auto get = [&](bool throws) {
    return value_.get(1, workers_, [throws](Cancel) -> int {
      if (throws) throw std::length_error("too many rows");
      return 1;
    });
  };
  EXPECT_EQ(get(true), nullptr);
  finish();
  const Status asked = guarded("the view", [&] { (void)get(true); });
  ASSERT_FALSE(asked);
  EXPECT_NE(asked.error().sentence().find("too many rows"), std::string::npos);
  EXPECT_EQ(get(false), nullptr);
  finish();
  EXPECT_EQ(*get(false), 1);
  Computed<Result<int>> result;  // a Result carries it itself
  result.begin(0, 1, workers_, [](Cancel) -> Result<int> { throw std::length_error("too many rows"); });
  finish();
  ASSERT_TRUE(result.newest());
  EXPECT_FALSE(*result.newest());
}

TEST_F(ComputedTest, ItsOwnerMayGoBeforeItsWork) {
  std::atomic<bool> gate{false};
  {
    Computed<int> other;
    other.begin(workers_, [&](Cancel cancel) {
      while (!gate) std::this_thread::sleep_for(50us);
      return cancel ? 1 : 2;
    });
  }
  gate = true;
  finish();
}

}  // namespace
}  // namespace attnscope
