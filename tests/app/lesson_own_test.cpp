// Lessons in the window when something else is looked at or tried than the page's own: another sequence, text
// or mask, another picture of the view, the course.
#include "app/state/lesson_player.h"
#include "core/lab/lab.h"
#include "core/session/mask_edits.h"
#include "tests/app/lesson_driver.h"

namespace attnscope {
namespace {

class LessonOwnTest : public testing::LessonFrameTest {
 protected:
  void text(const std::string& words) {
    const Status done =
        session_->edit(Text("by hand"), {}, [&](Document& document) { return set_text(document, 0, words); });
    ASSERT_TRUE(done) << done.error().text();
    settle();
  }
  void mask(const char* words) {
    const Status done = session_->edit(Text("by hand"), {},
                                       [&](Document& document) { return set_mask_text(document, words); });
    ASSERT_TRUE(done) << done.error().text();
    settle();
  }
  void back() {
    ASSERT_TRUE(shows("lesson_return"));
    click("lesson_return");
    settle();
    EXPECT_FALSE(shows("lesson_return"));
  }
  bool right() { return draft().verdict && draft().verdict->right; }
};

TEST_F(LessonOwnTest, TheSequenceThatIsLookedAtChangesNoAnswer) {
  const std::pair<int, const char*> pages[] = {{0, "same"}, {1, "two"}};
  for (const auto& [page, choice] : pages) {
    open("order", page);
    workspace().cursor.sequence = 1;  // as the hint says
    frames(3);
    click(std::string("choice_") + choice);
    frames(2);
    EXPECT_TRUE(right()) << choice;
    EXPECT_FALSE(draft().because.empty()) << choice;
  }
  open("order", 0);
  EXPECT_TRUE(shows("lesson_point1"));
  workspace().cursor.sequence = 1;
  frames(3);
  EXPECT_FALSE(shows("lesson_point1")) << "it would frame the row of another word";
  open("order", 2);
  workspace().cursor.sequence = 1;
  frames(2);
  mask("causal");
  EXPECT_TRUE(right());
  EXPECT_FALSE(draft().because.empty());
}

TEST_F(LessonOwnTest, ATextWithoutThePagesPlaceGetsASentenceAndAWayBack) {
  open("scores_to_words", 0);
  const std::string before = document().sequences[0].text;
  text("cat");
  click("choice_sat");
  frames(2);
  ASSERT_TRUE(draft().complaint);
  EXPECT_EQ(draft().complaint->what().key(), "error.lesson.not_in_own");
  back();
  EXPECT_EQ(document().sequences[0].text, before);
  click("choice_sat");
  frames(2);
  EXPECT_TRUE(right());
}

TEST_F(LessonOwnTest, BackToThePageTakesBackWhatWasNotAskedFor) {
  open("encoder_decoder", 3);
  EXPECT_FALSE(shows("lesson_return"));
  mask("causal");
  click("choice_yes");
  frames(2);
  EXPECT_TRUE(right()) << "it is so in this run";
  EXPECT_TRUE(draft().because.empty()) << draft().because.str();
  back();
  EXPECT_TRUE(document().edits.empty());
  EXPECT_FALSE(draft().verdict) << "it was said of another run";
  click("choice_no");
  frames(2);
  EXPECT_TRUE(right());
  EXPECT_FALSE(draft().because.empty());
  mask("causal");  // what is tried afterwards takes nothing back
  EXPECT_TRUE(right());
  open("softmax", 2);  // here a change is the answer
  ASSERT_TRUE(session_->edit(Text("by hand"), {}, [](Document& document) {
    put_edit(document, *parse_edit("blocks.0.attn.scores[head=0,query=2,key=0]=3"));
    return Status(Done{});
  }));
  settle();
  EXPECT_FALSE(shows("lesson_return"));
}

TEST_F(LessonOwnTest, AnotherPictureOfTheViewLeadsBackToThePagesOwn) {
  open("sines", 3);
  const nlohmann::json opened = state().chosen_in_view("position");
  click("position_menu");
  click("position_hills");
  frames(2);
  back();
  settle();
  EXPECT_EQ(state().chosen_in_view("position")["table_page"], "dots");
  click("choice_same");
  frames(4);
  click("lesson_explore_0");
  settle();
  EXPECT_EQ(workspace().view, "embedding");
  back();
  settle();
  EXPECT_EQ(state().chosen_in_view("position")["table_pos"], opened["table_pos"]);
}

TEST_F(LessonOwnTest, BarsThatNobodyTouchedAreNoAnswer) {
  open("scores_to_words", 1);  // even bars are no mistake that has a name here
  click("lesson_check");
  frames(2);
  EXPECT_FALSE(draft().verdict);
  ASSERT_TRUE(draft().complaint);
  drag("lesson_bar_0", 30);
  click("lesson_check");
  frames(2);
  EXPECT_TRUE(draft().verdict);
}

TEST_F(LessonOwnTest, ThePictureIsDrawnBesideTheStageAndTheQuestion) {
  ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  open("robot_policy", 4);
  click("picture");
  click("draw");
  frames(3);
  ASSERT_TRUE(shows("canvas"));
  const ItemRect canvas = noted_items().at("canvas");
  for (const char* item : {"canvas", "look", "draw", "open_picture", "grid32", "brush3", "clear_picture"}) {
    ASSERT_TRUE(shows(item)) << item;
    EXPECT_LT(noted_items().at(item).p1.x, 480) << item << " lies over the map of the head";
    EXPECT_LT(noted_items().at(item).p1.y, 690) << item;
  }
  EXPECT_LT(noted_items().at("clear_picture").p1.y, 630) << "two sentences stand below, whole";
  EXPECT_GT(canvas.p1.x - canvas.p0.x, 200) << "large enough to draw on";
}

TEST_F(LessonOwnTest, APlaceOfTheCourseIsNotBesideAPageThatDoesNotSpeakOfIt) {
  open("head_roles", 0);
  state().show_course = true;
  for (int i = 0; i < 200 && !shows("course_000-01"); ++i) frames(1), settle();
  ASSERT_TRUE(shows("course_000-01"));
  click("course_find");
  frames(1);
  type("000-28");
  frames(2);
  key(compat::Key::enter);
  settle();
  EXPECT_FALSE(shows("course_find")) << "Enter goes where the row that was found leads";
  EXPECT_EQ(workspace().view, "calculator");
  EXPECT_FALSE(state().lessons.open());
}

TEST_F(LessonOwnTest, ALabOpensWithThePagesValuesAndTheEndInvitesOnlyWhereItIsTrue) {
  open("rope_alibi", 2);
  state().lessons.draft().typed = "0.125";
  state().lessons.check(workspace());
  frames(4);
  click("lesson_explore_0");
  settle();
  ASSERT_EQ(workspace().lab, "pair");
  const auto lab = find_lab("pair");
  ASSERT_TRUE(lab);
  const LabValues& values = workspace().lab_values["pair"];
  bool found = false;
  for (const LabControl& control : (*lab)->controls)
    if (control.id() == "b") found = value_text(control, values) == "alibi";
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace attnscope
