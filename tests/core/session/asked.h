// The storyteller in a session, and what Ask is asked of it.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "core/session/asking.h"
#include "core/session/session.h"

namespace attnscope::testing {

constexpr const char* kAskedText = "The cat sat on the mat because it was tired. So the";

class AskedStoryteller : public ::testing::Test {
 protected:
  void open_storyteller() {
    session_.open(std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/models/storyteller");
    session_.wait();
    ASSERT_TRUE(session_.result());
    ASSERT_TRUE(session_.edit("text", {}, [](Document& d) { return set_text(d, 0, kAskedText); }));
  }
  void settle() {
    for (int quiet = 0; quiet < 3; ++quiet) {
      session_.wait();
      asking_.follow(session_.workers(), session_.result(), 0);
      while (session_.workers().any_busy()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  void start() {
    settle();
    ASSERT_TRUE(asking_.request()) << asking_.request().error().text();
    asking_.start(session_.workers());
    settle();
    ASSERT_TRUE(asking_.answer());
    ASSERT_FALSE(asking_.answer()->error) << asking_.answer()->error->text();
    ASSERT_TRUE(asking_.answer()->done);
  }
  const SweepAnswer& answer() { return *asking_.answer(); }
  const Document& document() { return session_.document(); }

  Session session_;
  Asking asking_;
};

}  // namespace attnscope::testing
