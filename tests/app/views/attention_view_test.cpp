// The attention view without OpenGL: it draws every kind of model, follows and moves the cursor, pins cells,
// and makes thumbnails of long inputs in the background.
#include "tests/app/views/attention_fixture.h"

namespace attnscope {
namespace {

class AttentionViewTest : public testing::AttentionFixture {
 protected:
  std::unique_ptr<View> view_ = make_attention_view();
  /// The first point of a raster over the window that a condition holds after a click.
  bool click_until(ImVec2 from, ImVec2 to, const std::function<bool()>& done) {
    for (float y = from.y; y < to.y; y += 40)
      for (float x = from.x; x < to.x; x += 40) {
        click(*view_, ImVec2(x, y));
        if (done()) return true;
      }
    return false;
  }
};

TEST_F(AttentionViewTest, DrawsScenesAndModelsInEveryStage) {
  open_scene("nine_steps");
  EXPECT_EQ(view_->unavailable(*session_.result()), "");
  for (const Slot slot : {Slot::scores, Slot::scaled, Slot::masked, Slot::pattern, Slot::mask, Slot::z}) {
    workspace_.cursor.step = site_of(slot, 0);
    show(*view_);
  }
  for (const char* name : {"gpt2", "llama"}) {
    open_model(name, 12);
    for (const bool log_scale : {false, true}) {
      workspace_.log_scale = log_scale;
      workspace_.show_difference = log_scale;
      show(*view_);
    }
  }
}

TEST_F(AttentionViewTest, ACursorOutsideOfTheRunIsBroughtBack) {
  open_scene("nine_steps");
  workspace_.cursor.layer = 7;
  workspace_.cursor.head = 9;
  workspace_.cursor.query = 500;
  workspace_.cursor.sequence = 3;
  show(*view_);
}

TEST_F(AttentionViewTest, SmallStagesDoNotBreak) {
  open_model("gpt2", 12);
  for (const float width : {60.f, 200.f, 420.f}) show(*view_, ImVec2(width, 180));
}

TEST_F(AttentionViewTest, AClickOnTheHeatmapPinsThatCell) {
  open_model("gpt2", 8);
  workspace_.cursor.step = site_of(Slot::pattern, 0);
  ASSERT_TRUE(
      click_until(ImVec2(480, 200), ImVec2(860, 520), [&] { return workspace_.cursor.pinned.has_value(); }));
  const Cell pinned = *workspace_.cursor.pinned;
  EXPECT_EQ(pinned.site, site_of(Slot::pattern, 0));
  ASSERT_EQ(pinned.at.size(), 3u);
  EXPECT_EQ(pinned.at[0].begin, workspace_.cursor.head);
  EXPECT_EQ(pinned.at[1].begin, workspace_.cursor.query);
  EXPECT_EQ(pinned.at[2].begin, workspace_.cursor.key);
}

TEST_F(AttentionViewTest, AClickOnAThumbnailChoosesTheHead) {
  open_model("gpt2", 8);
  workspace_.cursor.step = site_of(Slot::scaled, 0);
  ASSERT_TRUE(click_until(ImVec2(30, 130), ImVec2(330, 320), [&] { return workspace_.cursor.layer == 1; }));
  EXPECT_EQ(workspace_.cursor.step, site_of(Slot::scaled, 1));
  EXPECT_FALSE(workspace_.cursor.pinned.has_value());
}

TEST_F(AttentionViewTest, HoveringAThumbnailLeavesTheCursorAlone) {
  open_model("gpt2", 8);
  const Cursor before = workspace_.cursor;
  for (float x = 30; x < 330; x += 30) {
    point_at(x, 200);
    show(*view_);
  }
  EXPECT_TRUE(workspace_.cursor == before);
}

TEST_F(AttentionViewTest, LongInputsAreComputedInTheBackground) {
  open_long(1500);
  show_until_idle(*view_);
  point_at(700, 400);
  for (int notch = 0; notch < 12; ++notch) {
    compat::feed_wheel(ImGui::GetIO(), 1.f);
    show(*view_);
  }
  show_until_idle(*view_);
}

}  // namespace
}  // namespace attnscope
