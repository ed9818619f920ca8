// The palette by keys alone: what it finds, what it does, what it leaves.
#include "app/shell/palette.h"

#include <algorithm>

#include "tests/app/ui_driver.h"

namespace attnscope {
namespace {

using compat::Key;
using testing::FrameTest;

bool palette_any_popup() {
  return ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
}

TEST(Fuzzy, LettersInTheirOrderAndBeginningsOfWordsFirst) {
  EXPECT_GE(fuzzy_score("tvs", "Two views side by side"), 0);
  EXPECT_LT(fuzzy_score("svt", "Two views"), 0);
  EXPECT_GT(fuzzy_score("att", "Attention"), fuzzy_score("att", "What a trace tells"));
  EXPECT_GE(fuzzy_score("ATT pat", "blocks.1.attn.pattern") + 1, 0);
  EXPECT_GE(fuzzy_score("z", "blocks.1.attn.z"), 0);
  EXPECT_GE(fuzzy_score("z 1", "blocks.1.attn.z"), 0) << "words in any order";
  EXPECT_GT(fuzzy_score("z 1", "blocks.1.attn.z"), fuzzy_score("z 1", "blocks.1.attn.view_z"));
  EXPECT_LT(fuzzy_score("z 2", "blocks.1.attn.z"), 0);
  EXPECT_GT(fuzzy_score("last step", "Last step"), fuzzy_score("last step", "Play the steps"))
      << "the first s is not the one that is meant";
  EXPECT_GT(fuzzy_score("step", "Last step"), fuzzy_score("step", "Stop the play"));
  EXPECT_GE(fuzzy_score("acegik", "abcdefghijkl"), 0) << "far apart, and yet there";
  EXPECT_GE(fuzzy_score("어텐션", "어텐션"), 0);
  EXPECT_LT(fuzzy_score("가", "나"), 0) << "bytes of two letters are not one letter";
}

class PaletteTest : public FrameTest {
 protected:
  void ask(const std::string& letters) {
    key(Key::p, true);
    ASSERT_TRUE(palette_any_popup());
    type(letters);
    key(Key::enter);
    settle();
  }
};

TEST_F(PaletteTest, TypedLettersAndEnterDoIt) {
  open_default();
  ask("two views");
  EXPECT_FALSE(workspace().second_view.empty());
  EXPECT_FALSE(palette_any_popup());
  ask("view.mask");
  EXPECT_EQ(workspace().view, "mask");
  ask("blocks.0.attn.pattern");
  EXPECT_EQ(to_text(workspace().cursor.step), "blocks.0.attn.pattern");
  ask("open_scene tiny_gpt");
  EXPECT_EQ(document().opened->path, "scene:tiny_gpt");
  ask("labs.open softmax");
  EXPECT_EQ(workspace().view, "labs");
  EXPECT_EQ(workspace().lab, "softmax");
}

TEST_F(PaletteTest, ItSpeaksTheLanguageAndKnowsTheEnglishIds) {
  open_default();
  state().set_language("ko");
  frames();
  ask("어텐션");
  EXPECT_EQ(workspace().view, "attention");
  ask("log_scale");
  EXPECT_TRUE(workspace().log_scale);
  state().set_language("en");
}

TEST_F(PaletteTest, WhatIsNotPossibleStaysAndDoesNothing) {
  open_default();
  const auto lines = Palette::all_lines(state());
  const auto undo = std::find_if(lines.begin(), lines.end(),
                                 [](const Palette::Line& line) { return line.action->id == "edit.undo"; });
  ASSERT_NE(undo, lines.end());
  EXPECT_EQ(undo->why_not, "Nothing to undo.");
  EXPECT_EQ(undo->key, "Ctrl+Z");
  key(Key::p, true);
  type("edit.undo");
  key(Key::enter);
  EXPECT_TRUE(palette_any_popup()) << "it stands there in grey";
  key(Key::escape);
  EXPECT_FALSE(palette_any_popup());
  EXPECT_EQ(step(), 0);
  const Action& first = *lines[Palette::found(lines, "run").front()].action;
  EXPECT_TRUE(is_possible(first, state())) << first.id << ": what fits as well and can be done comes before";
}

TEST_F(PaletteTest, EveryActionSaysWhyItIsNotPossible) {
  const auto all_say = [&] {
    for (const Action& action : actions())
      EXPECT_EQ(why_not(action, state()).empty(), is_possible(action, state())) << action.id;
  };
  all_say();
  open_default();
  all_say();
  EXPECT_EQ(why_not(*find_action("compare.swap"), state()), "No run is pinned as A.");
}

TEST_F(PaletteTest, ArrowsChooseAndEscapeLeavesEverythingAsItWas) {
  open_default();
  const std::string view = workspace().view;
  key(Key::p, true);
  type("view.");
  const auto lines = Palette::all_lines(state());
  const auto found = Palette::found(lines, "view.");
  ASSERT_GT(found.size(), 2u);
  key(Key::down);
  key(Key::down);
  key(Key::up);
  EXPECT_EQ(step(), 0);
  EXPECT_EQ(workspace().cursor.head, 0) << "the arrows walk in the list alone";
  key(Key::escape);
  EXPECT_EQ(workspace().view, view);
  EXPECT_FALSE(palette_any_popup());
}

}  // namespace
}  // namespace attnscope
