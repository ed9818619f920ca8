// Lessons in a window of 1280 x 720: nothing of the words of a page is cut, and what is tried is answered.
#include "app/state/presenter.h"
#include "core/system/atomic_file.h"
#include "tests/app/lesson_driver.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

class LessonWholeTest : public testing::LessonFrameTest {};

// Where the question takes the room, the goal begins below what is in sight: none of its lines is cut. How
// long the lesson takes stands at the head.
TEST_F(LessonWholeTest, TheGoalIsNotCutInHalf) {
  ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  for (const char* id : {"ten_minutes", "detective", "nine_steps"}) {
    open(id, 0);
    EXPECT_TRUE(shows("lesson_head")) << id;
    const auto goal = noted_items().find("lesson_goal");
    if (goal == noted_items().end() || !goal->second.in_sight()) continue;
    EXPECT_EQ(goal->second.seen1.y, goal->second.p1.y) << id;
  }
}

// A page that needs no Check keeps the line of its hint in sight while it is presented.
TEST_F(LessonWholeTest, APresentedPageShowsItsLastLine) {
  ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  for (const char* id : {"detective", "softmax", "loss"}) {
    set_presenting(state(), false);
    open(id, id == std::string_view("detective") ? 0 : 1);
    set_presenting(state(), true);
    rescale(presenter_scale(state(), 1280, 720));
    frames(6);
    const auto hint = noted_items().find("lesson_hint");
    ASSERT_NE(hint, noted_items().end()) << id;
    EXPECT_EQ(hint->second.seen1.y, hint->second.p1.y) << id;
  }
  set_presenting(state(), false);
}

// Enter takes the focus from the box; who sees that one digit was wrong presses Backspace.
TEST_F(LessonWholeTest, BackspaceAfterCheckTakesTheLastSign) {
  open("nine_steps", 1);
  type("0.1879");
  key(compat::Key::enter);
  frames(3);
  ASSERT_TRUE(draft().verdict);
  ASSERT_FALSE(ImGui::GetIO().WantTextInput);
  key(compat::Key::backspace);
  frames(5);
  EXPECT_EQ(draft().typed, "0.187");
  type("1");
  frames(3);
  EXPECT_EQ(draft().typed, "0.1871") << "what is typed next is added to it";
}

// exp(S − max) and its sum say the weights, which are what is hidden.
TEST_F(LessonWholeTest, TheRowOfAHiddenWeightIsCoveredInEveryPartOfItsSoftmax) {
  const testing::TempFolder folder;
  const char* lesson = R"({"format": "attnscope-lesson", "version": 1, "id": "hides", "pages": [
    {"id": "row", "open": {"model": "scene:nine_steps"},
     "look": {"view": "steps", "cursor": {"step": "blocks.0.attn.pattern", "head": 0, "query": 2}},
     "hide": ["blocks.0.attn.pattern[head=0,query=2]"],
     "ask": {"kind": "number", "answer": "blocks.0.attn.pattern[head=0,query=2,key=0]", "tolerance": 0.001}}],
    "strings": {"en": {"title": "Hides", "row.title": "Row", "row.text": "-", "row.ask": "-", "row.hint1": "-",
    "row.hint2": "-", "row.because": "-"}}})";
  ASSERT_TRUE(write_file(folder / "hides.json", lesson));
  ASSERT_TRUE(state().lessons.start(state(), folder / "hides.json", 0));
  settle();
  frames(4);
  const auto covered = [this](const char* matrix) {
    if (!shows(matrix)) return false;
    const ItemRect of = noted_items().at(matrix);
    for (const auto& [name, item] : noted_items())
      if (name.starts_with("lesson_cover") && item.p0.x >= of.p0.x - 2 && item.p1.x <= of.p1.x + 2 &&
          item.p0.y >= of.p0.y && item.p1.y <= of.p1.y)
        return true;
    return false;
  };
  for (const char* matrix : {"matrix.steps/result", "matrix.steps/exp", "matrix.steps/sum"})
    EXPECT_TRUE(covered(matrix)) << matrix;
  EXPECT_FALSE(covered("matrix.steps/before")) << "the scores are what it is computed from";
}

// A page whose model is missing says so itself, when the banner was put away too, and the next one goes on.
TEST_F(LessonWholeTest, APageThatCannotBeOpenedSaysWhyAndTheLessonGoesOn) {
  const testing::TempFolder folder;
  const char* lesson = R"({"format": "attnscope-lesson", "version": 1, "id": "mine", "pages": [
    {"id": "gone", "open": {"model": "model:nothere"}, "look": {"view": "steps"},
     "ask": {"kind": "change", "goal": "edits() > 0", "show": ["input[pos=0]=1"]}},
    {"id": "here", "open": {"model": "scene:nine_steps"}, "look": {"view": "steps"}}],
    "strings": {"en": {"title": "Mine", "gone.title": "Gone", "gone.text": "-", "gone.ask": "-", "here.title": "Here", "here.text": "-"}}})";
  ASSERT_TRUE(write_file(folder / "mine.json", lesson));
  ASSERT_TRUE(state().lessons.start(state(), folder / "mine.json", 0));
  settle();
  frames(3);
  EXPECT_FALSE(state().lessons.ready());
  ASSERT_TRUE(draft().complaint);
  EXPECT_NE(draft().complaint->sentence().find("nothere"), std::string::npos);
  EXPECT_FALSE(shows("lesson_waiting")) << "nothing is on its way";
  session_->dismiss_error();
  frames(2);
  EXPECT_TRUE(draft().complaint) << "the page says it as long as it is open";
  state().lessons.next(state());
  settle();
  frames(3);
  EXPECT_TRUE(state().lessons.ready());
  EXPECT_FALSE(draft().complaint);
}

// A lab that a page tells about shows the values of the page from its first frame on.
TEST_F(LessonWholeTest, ALabOnAPageStandsStill) {
  workspace().animate = true;
  ASSERT_TRUE(state().lessons.start(state(), "head_roles", 3));
  for (int frame = 0; frame < 40; ++frame) {
    settle();
    frames(1);
    ASSERT_EQ(workspace().lab_values["heads"].whole("query"), 10) << frame;
  }
  workspace().animate = false;
}

}  // namespace
}  // namespace attnscope
