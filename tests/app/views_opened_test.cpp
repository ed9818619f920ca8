// What a view is opened at in the easy window, what a drag by hand does to the card of things to try, how a
// refused text is mended, and A, B and their difference in the full one.
#include "tests/app/ui_driver.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

class ViewsOpenedTest : public FrameTest {
 protected:
  void open_at(Level level) {
    workspace().level = level;
    state().open_shipped_model("storyteller");
    settle();
    ASSERT_TRUE(session_->result());
  }
  void show(const std::string& view) {
    workspace().view = view;
    settle();
  }
  void refuse_empty_text() {
    click("type_text");
    key(compat::Key::a, true);
    key(compat::Key::backspace);
    key(compat::Key::enter);
    settle();
    ASSERT_TRUE(shows("input_text") && shows("input_error"));
  }
  void set_weight(float value, const std::string& gesture) {
    ASSERT_TRUE(session_->edit(Text("x"), gesture, [value](Document& document) -> Status {
      Edit edit;
      NumberEdit number;
      number.where = *parse_target("blocks.1.attn.pattern[head=3,query=13,key=2]");
      number.value = value;
      edit.what = number;
      document.edits = {std::make_shared<const Edit>(std::move(edit))};
      return Done{};
    }));
    settle();
  }
};

TEST_F(ViewsOpenedTest, AMaskBeginsWhereItHidesSomethingAndTheCursorComesBack) {
  open_at(Level::easy);
  show("attention");
  ASSERT_EQ(workspace().cursor.query, 13);
  show("mask");
  EXPECT_EQ(workspace().cursor.query, 4);
  show("attention");
  EXPECT_EQ(workspace().cursor.query, 13);
  show("embedding");
  EXPECT_EQ(workspace().cursor.query, 2);
  workspace().cursor.query = 6;  // somebody looks elsewhere: that stays
  settle();
  show("mask");
  EXPECT_EQ(workspace().cursor.query, 6);
  show("attention");
  EXPECT_EQ(workspace().cursor.query, 6);
}

TEST_F(ViewsOpenedTest, ADragToZeroIsTheThingThatWasAsked) {
  open_at(Level::easy);
  show("attention");
  ASSERT_TRUE(shows("try_sentence") && !shows("try_done"));
  set_weight(0.5f, "drag");
  EXPECT_FALSE(shows("try_done"));
  set_weight(0.f, "drag");  // the same undo point
  EXPECT_TRUE(shows("try_done"));
}

TEST_F(ViewsOpenedTest, ARefusedTextKeepsTheKeyboard) {
  open_at(Level::easy);
  refuse_empty_text();
  EXPECT_TRUE(ImGui::GetIO().WantTextInput) << "what is typed next would be commands";
  type("The bird sat");
  key(compat::Key::enter);
  settle();
  EXPECT_EQ(document().sequences.front().text, "The bird sat");
  EXPECT_TRUE(shows("chip0"));
}

TEST_F(ViewsOpenedTest, EscapeBringsTheWordsBackAfterARefusedText) {
  open_at(Level::easy);
  const std::string before = document().sequences.front().text;
  refuse_empty_text();
  key(compat::Key::escape);
  settle();
  EXPECT_TRUE(shows("chip0") && !shows("input_text"));
  EXPECT_EQ(document().sequences.front().text, before);
}

TEST_F(ViewsOpenedTest, TheFullWindowShowsAAndBAndTheirDifference) {
  open_at(Level::full);
  show("attention");
  set_weight(0.f, {});
  EXPECT_FALSE(shows("compared"));
  workspace().show_difference = true;
  settle();
  EXPECT_TRUE(shows("compared")) << "with the run before the change";
  session_->pin();
  set_weight(0.1f, {});
  settle();
  EXPECT_TRUE(shows("compared")) << "with A";
  workspace().view = "residual";  // has a difference of its own
  settle();
  EXPECT_FALSE(shows("compared"));
}

}  // namespace
}  // namespace attnscope
