// The class: learners' files in a folder, of both kinds, and what is no such file.
#include <gtest/gtest.h>

#include <fstream>

#include "core/lesson/class_view.h"
#include "core/lesson/progress.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

class TheClass : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  static PageProgress done(bool right, int tries, const char* when) {
    PageProgress out;
    out.right = right, out.tries = tries, out.when = when;
    return out;
  }
  attnscope::testing::TempFolder folder_;
};

TEST_F(TheClass, SaysWhoIsWhereAndWhatIsHard) {
  Progress anna, nameless;
  anna.at("Anna, \"A\"", "masks", "causal") = done(true, 1, "2026-11-26 10:00");
  anna.at("Anna, \"A\"", "masks", "zero") = done(false, 3, "2026-11-26 10:05");
  write("anna.csv", anna.csv());  // with the mark in front that spreadsheets want, and quotes in it
  nameless.at("", "masks", "zero") = done(true, 2, "2026-11-26 10:01");
  ASSERT_TRUE(nameless.save(folder_ / "\uBBFC\uC9C0.json"));
  write("readme.txt", "not read");
  const auto seen = read_class(folder_.path());
  ASSERT_TRUE(seen) << seen.error().text();
  EXPECT_TRUE(seen->unread.empty());
  ASSERT_EQ(seen->members.size(), 2u);
  const ClassMember& first = seen->members[0];
  EXPECT_EQ(first.learner, "Anna, \"A\"");
  EXPECT_EQ(first.lesson + "/" + first.page, "masks/zero") << "the newest answer";
  EXPECT_EQ(first.right, 1);
  EXPECT_EQ(first.tried, 2);
  EXPECT_EQ(first.stuck, std::vector<std::string>{"masks/zero"});
  EXPECT_EQ(seen->members[1].learner, "\uBBFC\uC9C0") << "a file without a name in it";
  ASSERT_EQ(seen->pages.size(), 2u);
  EXPECT_EQ(seen->pages[0].page, "zero") << "the hardest first";
  EXPECT_EQ(seen->pages[0].tried, 2);
  EXPECT_EQ(seen->pages[0].right, 1);
  EXPECT_DOUBLE_EQ(seen->pages[0].tries, 2.5);
}

TEST_F(TheClass, OfPagesThatNobodySolvedTheOneThatWasTriedLongestIsHardest) {
  Progress anna;
  anna.at("Anna", "masks", "draw") = done(false, 1, "2026-11-26 10:00");
  anna.at("Anna", "masks", "zero") = done(false, 4, "2026-11-26 10:05");
  write("anna.csv", anna.csv());
  const auto seen = read_class(folder_.path());
  ASSERT_TRUE(seen);
  ASSERT_EQ(seen->pages.size(), 2u);
  EXPECT_EQ(seen->pages[0].page, "zero");
}

TEST_F(TheClass, TakesTheNewestAnswerOfALearnerInTwoFiles) {
  Progress old, now;
  old.at("Ben", "masks", "causal") = done(false, 2, "2026-11-25 10:00");
  now.at("Ben", "masks", "causal") = done(true, 3, "2026-11-26 10:00");
  write("b_old.csv", old.csv());
  write("a_new.csv", now.csv());
  const auto seen = read_class(folder_.path());
  ASSERT_TRUE(seen);
  ASSERT_EQ(seen->members.size(), 1u);
  EXPECT_EQ(seen->members[0].right, 1);
  EXPECT_TRUE(seen->members[0].stuck.empty());
}

TEST_F(TheClass, OneSentenceNamesEveryFileThatCannotBeRead) {
  Progress ben;
  ben.at("Ben", "masks", "causal") = done(true, 1, "2026-11-26 10:00");
  write("ben.csv", ben.csv());
  EXPECT_FALSE(not_read(*read_class(folder_.path())));
  for (int i = 0; i < 6; ++i) {
    write("x" + std::to_string(i) + ".csv", "a,b\n1,2\n");
    const auto seen = read_class(folder_.path());
    ASSERT_TRUE(seen);
    const std::string said = not_read(*seen)->text();
    for (int named = 0; named <= std::min(i, 2); ++named)
      EXPECT_NE(said.find("x" + std::to_string(named) + ".csv"), std::string::npos) << said;
    EXPECT_EQ(said.find("x3.csv"), std::string::npos) << said;
    const bool more = said.find(" and " + std::to_string(i - 2) + " more") != std::string::npos;
    EXPECT_EQ(more, i > 2) << said;
  }
}

TEST_F(TheClass, NamesWhatItCannotRead) {
  EXPECT_EQ(read_class(folder_.path()).error().what().key(), "error.class.empty");
  write("prices.csv", "a,b\n1,2\n");
  EXPECT_EQ(read_class(folder_.path()).error().what().key(), "error.class.no_learner");
  Progress ben;
  ben.at("Ben", "masks", "causal") = done(true, 1, "2026-11-26 10:00");
  write("ben.csv", ben.csv());
  write("cut.csv", ben.csv().substr(0, ben.csv().size() - 30));
  const auto seen = read_class(folder_.path());
  ASSERT_TRUE(seen) << "one file that is none does not hide the others";
  EXPECT_EQ(seen->members.size(), 1u);
  EXPECT_EQ(seen->unread.size(), 2u);
  write("open_quote.csv", ben.csv() + "Bo,masks,causal,1,0,1,0,1.000,\"10");
  EXPECT_EQ(read_class(folder_.path())->unread.size(), 3u) << "a file that was cut inside a field";
  EXPECT_EQ(read_class(folder_ / "none").error().what().key(), "error.class.no_folder");
}

}  // namespace
}  // namespace attnscope
