// Lessons in a window of 1280 x 720: nothing of the words of a page is cut.
#include "app/state/presenter.h"
#include "tests/app/lesson_driver.h"

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

}  // namespace
}  // namespace attnscope
