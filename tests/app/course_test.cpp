// The places of the course: each is understood as the program's own arguments, and what it names is there.
#include "core/lesson/course.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "app/shell/options.h"
#include "app/views/view.h"
#include "core/arch/shipped.h"
#include "core/lab/lab.h"
#include "core/step/site.h"
#include "tests/app/ui_driver.h"

namespace attnscope {
namespace {

TEST(CoursePlaces, EachIsThere) {
  const auto rows = course_rows();
  ASSERT_TRUE(rows);
  std::set<std::string> views;
  for (const ViewRow& row : view_table()) views.insert(row.id);
  for (const CourseRow& row : *rows) {
    std::vector<std::string> words{"attnscope"};
    std::istringstream in(row.place);
    for (std::string word; in >> word;) words.push_back(word);
    std::vector<const char*> arguments;
    for (const std::string& word : words) arguments.push_back(word.c_str());
    const CommandLine line = read_command_line(static_cast<int>(arguments.size()), arguments.data());
    ASSERT_TRUE(line.run) << row.id << ": " << line.text;
    const Options& options = line.options;
    EXPECT_TRUE(!options.view.empty() || !options.lab.empty()) << row.id;
    EXPECT_TRUE(options.view.empty() || views.contains(options.view)) << row.id << ": " << options.view;
    EXPECT_TRUE(options.lab.empty() || parse_lab_request(options.lab)) << row.id << ": " << options.lab;
    EXPECT_TRUE(options.path.empty() || open_shipped(options.path)) << row.id << ": " << options.path;
    EXPECT_TRUE(options.step.empty() || parse_site(options.step)) << row.id << ": " << options.step;
  }
}

class CourseWindowTest : public testing::FrameTest {};

TEST_F(CourseWindowTest, ARowGoesToItsPlaceAndOneThatDiffersSaysWhyFirst) {
  state().open_shipped("storyteller");
  settle();
  state().show_course = true;
  for (int i = 0; i < 200 && !shows("course_000-att"); ++i) frames(1), settle();
  ASSERT_TRUE(shows("course_000-att"));
  workspace().view = "mask";
  click("course_000-att");  // the reason
  frames(2);
  EXPECT_EQ(workspace().view, "mask");
  click("course_000-att");
  frames(3);
  EXPECT_EQ(workspace().view, "calculator");
  EXPECT_FALSE(shows("course_000-att"));
}

TEST_F(CourseWindowTest, APlaceOfASceneOpensItAndItsStep) {
  state().open_shipped("storyteller");
  settle();
  state().show_course = true;
  for (int i = 0; i < 200 && !shows("course_000-att"); ++i) frames(1), settle();
  click("chapter_002");
  frames(2);
  click("course_002-w33");
  settle();
  frames(3);
  EXPECT_EQ(document().opened->path, "scene:nine_steps");
  EXPECT_EQ(workspace().view, "steps");
  EXPECT_EQ(to_text(workspace().cursor.step), "blocks.0.attn.pattern");
}

}  // namespace
}  // namespace attnscope
