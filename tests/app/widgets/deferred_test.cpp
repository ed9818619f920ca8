// What a background value is handed out for: its own key, or an older one of the same subject that says so.
#include "app/widgets/deferred.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace attnscope {
namespace {

class DeferredTest : public ::testing::Test {
 protected:
  /// One frame's question; `gate` null: the work is done at once, else when the gate opens.
  Made<int> ask(std::uint64_t subject, std::uint64_t key, const std::atomic<bool>* gate = nullptr) {
    const auto made =
        deferred_.get_or_before(subject, key, "test", commands_, [key, gate](const std::atomic<bool>&) {
          while (gate && !*gate) std::this_thread::sleep_for(std::chrono::microseconds(50));
          return static_cast<int>(key);
        });
    commands_.carry_out(session_);
    return made;
  }
  void finish() {
    while (session_.jobs().any_busy()) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }

  Session session_;
  Commands commands_;
  Deferred<int> deferred_;
};

TEST_F(DeferredTest, AnOlderValueIsGivenForTheSameSubjectAndSaysSo) {
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
  EXPECT_FALSE(ask(2, 12, &gate)) << "of another model: nothing to show";
  gate = true;
  finish();
  const Made<int> newest = ask(2, 12);
  ASSERT_TRUE(newest);
  EXPECT_EQ(*newest, 12);
  EXPECT_TRUE(newest.fresh);
}

TEST_F(DeferredTest, AValueThatArrivesLateIsNotTakenForTheNewOne) {
  std::atomic<bool> gate = false;
  EXPECT_FALSE(ask(1, 10, &gate));
  EXPECT_FALSE(ask(2, 20, &gate));
  gate = true;
  for (int tries = 0; tries < 2000; ++tries) {
    if (const Made<int> made = ask(2, 20); made) {
      EXPECT_EQ(*made, 20);
      EXPECT_TRUE(made.fresh);
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  FAIL() << "the value never came";
}

TEST_F(DeferredTest, GetNeverGivesTheValueOfAnotherKey) {
  const auto get = [&](std::uint64_t key) {
    const auto value = deferred_.get(key, "test", commands_,
                                     [key](const std::atomic<bool>&) { return static_cast<int>(key); });
    commands_.carry_out(session_);
    return value;
  };
  EXPECT_EQ(get(1), nullptr);
  finish();
  ASSERT_NE(get(1), nullptr);
  EXPECT_EQ(get(2), nullptr);
  finish();
  EXPECT_EQ(*get(2), 2);
}

}  // namespace
}  // namespace attnscope
