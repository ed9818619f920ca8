// The numbers of the course: the program computes what each row says is right, and where the documents print
// another number, both languages say why.
#include "core/lesson/course.h"

#include <gtest/gtest.h>

#include <set>

#include "core/base/words.h"
#include "core/lab/lab.h"

namespace attnscope {
namespace {

TEST(Course, EachNumberIsTheOneThatIsStatedToBeRight) {
  const auto rows = course_rows();
  ASSERT_TRUE(rows);
  const auto answers = compute_course(*rows);
  ASSERT_TRUE(answers) << answers.error().text();
  EXPECT_GE(answers->size(), 50U);
  std::set<std::string> ids, chapters;
  int differ = 0;
  for (const CourseAnswer& one : *answers) {
    EXPECT_TRUE(ids.insert(one.row.id).second) << one.row.id;
    chapters.insert(one.row.chapter);
    EXPECT_TRUE(one.stated) << one.row.id << ": " << one.program;
    EXPECT_EQ(one.agrees, one.why.empty());
    differ += one.agrees ? 0 : 1;
    for (const std::string& language : languages()) {
      ASSERT_TRUE(set_language(language));
      EXPECT_TRUE(has_string("course." + one.row.id)) << language << " " << one.row.id;
      EXPECT_EQ(has_string("course." + one.row.id + ".why"), !one.agrees) << language << " " << one.row.id;
    }
  }
  EXPECT_TRUE(set_language("en"));
  EXPECT_EQ(chapters, (std::set<std::string>{"000", "001", "002", "003", "004"}));
  EXPECT_GT(differ, 8);
}

TEST(Course, AWrongStatementIsFound) {
  const auto rows = read_course(R"({"rows": [{"id": "000-x", "place": "--view mask", "program": "2 * 3",
    "printed": 6, "right": 7}]})",
                                "x");
  ASSERT_TRUE(rows);
  const auto answers = compute_course(*rows);
  ASSERT_TRUE(answers);
  EXPECT_TRUE(answers->front().agrees);
  EXPECT_FALSE(answers->front().stated);
}

TEST(Course, WhatDoesNotReadIsNamed) {
  const std::string part = R"({"rows": [{"id": "000-x", "place": "--view mask", "program": "2 * 3")";
  for (const auto& [text, name] : std::vector<std::pair<std::string, std::string>>{
           {"[", "rows"},
           {R"({"rows": [{}]})", "id"},
           {part + R"(, "right": 7}]})", "printed"},
           {part + R"(, "printed": "six", "right": 7}]})", "printed"}}) {
    const auto rows = read_course(text, "x.json");
    ASSERT_FALSE(rows) << text;
    EXPECT_NE(rows.error().text().find(name), std::string::npos) << rows.error().text();
  }
  auto rows = *read_course(part + R"(, "printed": 6, "right": 6, "model": "scene:none"}]})", "x.json");
  EXPECT_FALSE(compute_course(rows));
}

}  // namespace
}  // namespace attnscope
