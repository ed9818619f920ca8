// The places of the course: each is understood as the program's own arguments, and what it names is there.
#include "core/lesson/course.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "app/shell/options.h"
#include "app/views/view.h"
#include "core/arch/shipped.h"
#include "core/lab/lab.h"
#include "core/lesson/lesson_file.h"
#include "core/session/session.h"
#include "core/step/site.h"
#include "tests/app/ui_driver.h"

namespace attnscope {
namespace {

CommandLine command_line(const std::string& place) {
  std::vector<std::string> words{"attnscope"};
  std::istringstream in(place);
  for (std::string word; in >> word;) words.push_back(word);
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  return read_command_line(static_cast<int>(arguments.size()), arguments.data());
}

TEST(CoursePlaces, EachIsThere) {
  const auto rows = course_rows();
  ASSERT_TRUE(rows);
  std::set<std::string> views;
  for (const ViewRow& row : view_table()) views.insert(row.id);
  std::map<std::string, RunResult> runs;
  for (const CourseRow& row : *rows) {
    if (row.place.empty()) continue;
    const CommandLine line = command_line(row.place);
    ASSERT_TRUE(line.run) << row.id << ": " << line.text;
    const Options& options = line.options;
    if (!options.lesson.empty()) {
      const auto lesson = shipped_lesson(options.lesson);
      ASSERT_TRUE(lesson) << row.id;
      EXPECT_LE(options.page, static_cast<int>(lesson->pages.size())) << row.id;
      continue;
    }
    EXPECT_EQ(options.level, "full") << row.id;
    EXPECT_TRUE(!options.view.empty() || !options.lab.empty()) << row.id;
    EXPECT_TRUE(options.view.empty() || views.contains(options.view)) << row.id << ": " << options.view;
    EXPECT_TRUE(options.lab.empty() || parse_lab_request(options.lab)) << row.id << ": " << options.lab;
    const bool step = !options.step.empty();
    EXPECT_FALSE(step && options.path.empty()) << row.id << ": a step of no model";
    if (options.path.empty()) continue;
    if (!runs.contains(options.path)) {
      auto opened = open_shipped(options.path);
      ASSERT_TRUE(opened) << row.id << ": " << options.path;
      RunResult& run = runs[options.path];
      run.document = new_document(std::make_shared<const OpenedModel>(*std::move(opened)));
      auto traces = run_all(run.document, {}, {});
      ASSERT_TRUE(traces) << row.id;
      run.traces = *std::move(traces);
    }
    const Trace& trace = runs.at(options.path).trace(0);
    EXPECT_TRUE(!step || trace.find(*parse_site(options.step))) << row.id << ": " << options.step;
    EXPECT_LT(options.layer, trace.config().n_layers()) << row.id;
  }
}

class CourseWindowTest : public testing::FrameTest {
 protected:
  void open_course() {
    state().open_shipped("storyteller");
    settle();
    state().show_course = true;
    for (int i = 0; i < 200 && !shows("course_000-01"); ++i) frames(1), settle();
    ASSERT_TRUE(shows("course_000-01"));
  }
  // A row further down than what is in sight is looked for by its id.
  void choose(const std::string& id) {
    click("course_find");
    frames(1);
    type(id.c_str());
    frames(2);
    click(("course_" + id).c_str());
    frames(2);
  }
};

TEST_F(CourseWindowTest, AConceptShowsItsNumbersAndOneGoesFromThereToItsPlace) {
  open_course();
  workspace().view = "mask";
  choose("000-28");
  EXPECT_EQ(workspace().view, "mask");
  EXPECT_TRUE(shows("number_000-att"));
  click("course_go");
  frames(3);
  EXPECT_EQ(workspace().view, "calculator");
  EXPECT_FALSE(shows("course_000-28"));
}

// What is printed and what is computed stand beside every concept, not only beside the chosen one.
TEST_F(CourseWindowTest, NumbersStandInTheListAndItIsReachedFromTheLessons) {
  workspace().level = Level::easy;
  state().open_shipped("storyteller");
  settle();
  click("lessons");
  frames(3);
  click("lessons_course");
  for (int i = 0; i < 200 && !shows("course_000-01"); ++i) frames(1), settle();
  ASSERT_TRUE(shows("course_000-01"));
  click("chapter_002");
  frames(2);
  EXPECT_TRUE(shows("course_002-01") && shows("number_002-x"));
  EXPECT_EQ(workspace().level, Level::easy) << "until one goes to a place";
  for (int row = 1; row < 9; ++row) {
    const std::string id = "course_002-0" + std::to_string(row);
    if (!shows(id.c_str())) continue;
    EXPECT_GE(noted_items().at(id).p1.y - noted_items().at(id).p0.y, 28 * ui_scale()) << id;
  }
}

TEST_F(CourseWindowTest, APlaceOfASceneOpensItAndItsStep) {
  open_course();
  click("chapter_002");
  frames(2);
  click("course_002-05");
  frames(2);
  click("course_go");
  settle();
  frames(3);
  EXPECT_EQ(document().opened->path, "scene:nine_steps");
  EXPECT_EQ(workspace().view, "steps");
  EXPECT_EQ(to_text(workspace().cursor.step), "blocks.0.attn.q");
}

TEST_F(CourseWindowTest, APlaceInALessonOpensItsPage) {
  open_course();
  choose("001-27");
  click("course_go");
  settle();
  frames(3);
  EXPECT_TRUE(state().lessons.open());
}

TEST_F(CourseWindowTest, AWordIsFoundInAllChapters) {
  open_course();
  click("course_find");
  frames(1);
  type("ALiBi");
  frames(2);
  EXPECT_TRUE(shows("course_003-24"));
  EXPECT_FALSE(shows("course_000-01"));
}

}  // namespace
}  // namespace attnscope
