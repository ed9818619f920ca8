// Lessons in the window, without a screen: every page of every lesson shows what it points at and covers what
// it hides; answers, hints and pages by clicks and keys; names that lesson files may use are those of the
// window.
#include "app/panels/lesson/lesson_panel.h"
#include "core/lesson/lesson_file.h"
#include "tests/app/ui_driver.h"

namespace attnscope {
namespace {

class LessonTest : public testing::FrameTest {
 protected:
  void open(const std::string& id, int page = 0) {
    const Status begun = state().lessons.start(state(), id, page);
    ASSERT_TRUE(begun) << begun.error().text();
    settle();
    ASSERT_TRUE(state().lessons.ready()) << id;
    frames(3);
  }
  const PageDraft& draft() { return state().lessons.draft(); }
  void type_answer(const std::string& text) {
    click("lesson_answer");
    type(text);
    click("lesson_check");
  }
};

TEST_F(LessonTest, EveryPageShowsWhatItPointsAtAndCoversWhatItHides) {
  ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  const auto lessons = shipped_lessons();
  ASSERT_TRUE(lessons) << lessons.error().text();
  for (const Lesson& lesson : *lessons)
    for (std::size_t i = 0; i < lesson.pages.size(); ++i) {
      const Page& page = lesson.pages[i];
      open(lesson.id, static_cast<int>(i));
      EXPECT_FALSE(session_->error()) << lesson.id << "/" << page.id;
      for (std::size_t point = 1; point <= page.points.size(); ++point)
        EXPECT_TRUE(shows("lesson_point" + std::to_string(point)))
            << lesson.id << "/" << page.id << ": " << page.points[point - 1] << " is not on the screen";
      EXPECT_EQ(shows("lesson_cover0"), !page.hides.empty()) << lesson.id << "/" << page.id;
    }
}

TEST_F(LessonTest, ANumberIsTypedAndChecked) {
  open("nine_steps", 1);
  EXPECT_TRUE(shows("lesson_cover0"));
  type_answer("0.5");
  ASSERT_TRUE(draft().verdict);
  EXPECT_FALSE(draft().verdict->right);
  EXPECT_TRUE(shows("lesson_cover0")) << "a number that is not right yet stays covered";
  state().lessons.draft().typed.clear();
  type_answer("0.1871");
  EXPECT_TRUE(draft().verdict->right) << draft().verdict->words.str();
  EXPECT_FALSE(shows("lesson_cover0"));
  const Lesson& lesson = state().lessons.lesson();
  const PageProgress* kept = state().lessons.progress_of(lesson, lesson.pages[1]);
  ASSERT_TRUE(kept);
  EXPECT_TRUE(kept->right);
  EXPECT_EQ(kept->tries, 2);
}

TEST_F(LessonTest, AClickOnACoveredCellAnswers) {
  open("head_roles", 0);
  click("lesson_cover0");  // its middle is the cell of "the"
  ASSERT_TRUE(draft().verdict);
  EXPECT_FALSE(draft().verdict->right);
  EXPECT_FALSE(shows("lesson_cover0")) << "the guess uncovers the row";
  const auto hint = [this] {
    settle();  // words above the button move it
    click("lesson_hint");
  };
  hint();
  hint();
  EXPECT_FALSE(draft().shown);
  hint();
  EXPECT_TRUE(draft().shown);
  ASSERT_TRUE(workspace().cursor.pinned);
  EXPECT_EQ(workspace().cursor.key, 2) << "the cat";
  EXPECT_TRUE(draft().verdict->right);
  const Lesson& lesson = state().lessons.lesson();
  EXPECT_FALSE(state().lessons.progress_of(lesson, lesson.pages[0])->right) << "shown is not answered";
}

TEST_F(LessonTest, AChangeIsSeenWithoutAsking) {
  open("query_key_value", 2);
  EXPECT_FALSE(draft().verdict);
  ASSERT_TRUE(session_->edit(Text("by hand"), {},
                             [](Document& document) { return set_input_cell(document, 0, 1, 6, 1.f); }));
  settle();
  ASSERT_TRUE(draft().verdict);
  EXPECT_TRUE(draft().verdict->right);
}

TEST_F(LessonTest, PagesAreTurnedByKeysAndLookTheSameFromWhereverOneComes) {
  open("masks", 1);
  ASSERT_EQ(workspace().view, "steps");
  const Cursor first = workspace().cursor;
  key(compat::Key::page_down);
  settle();
  EXPECT_EQ(state().lessons.page_index(), 2);
  EXPECT_EQ(workspace().view, "mask");
  workspace().cursor.head = 1;
  workspace().show_difference = true;
  key(compat::Key::page_up);
  settle();
  EXPECT_EQ(state().lessons.page_index(), 1);
  EXPECT_EQ(workspace().view, "steps");
  EXPECT_FALSE(workspace().show_difference);
  EXPECT_TRUE(workspace().cursor == first);
  for (int i = 0; i < 2; ++i) {
    key(compat::Key::page_up);
    settle();
  }
  EXPECT_EQ(state().lessons.page_index(), 0) << "before the first page there is none";
  click("lesson_close");
  EXPECT_FALSE(state().lessons.open());
}

}  // namespace
}  // namespace attnscope
