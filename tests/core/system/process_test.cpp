// Programs that are given something, and what is said where they cannot be run.
#include "core/system/process.h"

#include <gtest/gtest.h>

#include "tests/results.h"

namespace attnscope {
namespace {

TEST(Process, AProgramReadsWhatItIsGiven) {
  const test::TempFolder folder;
  const std::string path = folder / "a", bytes = std::string(300'000, 'x') + '\0' + "end";
  const Status done = run_with_input({"sh", "-c", "cat > " + path}, bytes);
  ASSERT_TRUE(done) << done.error().sentence();
  EXPECT_EQ(test::read_text(path), bytes);
  EXPECT_TRUE(run_with_input({"true"}, bytes)) << "it need not read it";
}

TEST(Process, WhatCannotBeRunIsASentence) {
  const Status none = run_with_input({"attnscope-no-such-program"}, "x");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), Code::not_found);
  EXPECT_NE(none.error().sentence().find("attnscope-no-such-program"), std::string::npos);
  const Status bad = run_with_input({"sh", "-c", "exit 3"}, "x");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code(), Code::io_failed);
  EXPECT_NE(bad.error().sentence().find('3'), std::string::npos) << bad.error().sentence();
}

TEST(Process, AProgramThatNeverAnswersIsASentence) {
  const Status slow = run_with_input({"sleep", "100"}, "x", std::chrono::milliseconds(50));
  ASSERT_FALSE(slow);
  EXPECT_EQ(slow.error().code(), Code::io_failed);
  EXPECT_NE(slow.error().sentence().find("0.05"), std::string::npos) << slow.error().sentence();
}

}  // namespace
}  // namespace attnscope
