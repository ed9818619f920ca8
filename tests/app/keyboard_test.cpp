// What the keys reach: over lists, menus and dialogs, in fields, and in the half of the stage that is looked
// at.
#include "tests/app/ui_driver.h"

namespace attnscope {
namespace {

using compat::Key;

class KeyboardTest : public testing::FrameTest {
 protected:
  static bool popup() {
    return ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
  }
  void open_at(const std::string& view) {
    open_default();
    workspace().view = view;
    settle();
  }
  void double_click() {
    for (int i = 0; i < 2; ++i)
      for (const bool down : {true, false}) {
        press(down);
        frames(1);
      }
    frames();
  }
};

TEST_F(KeyboardTest, AListHearsEscapeArrowsAndWhatOpensAnotherWindow) {
  open_at("labs");
  workspace().lab = "softmax";
  settle();
  click("lab_precision");
  ASSERT_TRUE(popup());
  key(Key::escape);
  EXPECT_FALSE(popup()) << "Escape closes the list";
  EXPECT_EQ(workspace().view, "labs");
  const double before = workspace().lab_values["softmax"].choice("precision");
  click("lab_precision");
  key(Key::down);
  key(Key::enter);
  frames(4);
  EXPECT_FALSE(popup());
  EXPECT_NE(workspace().lab_values["softmax"].choice("precision"), before) << "the arrows walk in it";
  click("lab_precision");
  key(Key::p, true);
  EXPECT_TRUE(shows("palette_text")) << "Ctrl+P opens the palette";
  key(Key::escape);
  EXPECT_FALSE(popup()) << "and the list is gone";
}

TEST_F(KeyboardTest, TheEditMenuHearsEscapeOneAtATime) {
  open_at("attention");
  click("head_0_1", 1);
  ASSERT_TRUE(popup());
  click("edit_number");
  type("5");
  key(Key::escape);
  EXPECT_TRUE(popup()) << "the field was left";
  key(Key::escape);
  EXPECT_FALSE(popup());
  EXPECT_TRUE(document().edits.empty());
}

TEST_F(KeyboardTest, TheEndIsHeardOverEverything) {
  open_at("labs");
  workspace().lab = "softmax";
  settle();
  click("lab_precision");
  key(Key::q, true);
  EXPECT_TRUE(state().quit) << "over a list";
  state().quit = false;
  key(Key::p, true);
  ASSERT_TRUE(shows("palette_text"));
  key(Key::q, true);
  EXPECT_TRUE(state().quit) << "over a dialog";
}

TEST_F(KeyboardTest, DigitsBelongToTheHalfWhereThePointerIs) {
  open_at("attention");
  perform(state(), "compare.pin");
  settle();
  perform(state(), "compare.both");
  settle();
  ASSERT_EQ(workspace().second_view, "attention");
  const ImVec2 min = state().stage_min, max = state().stage_max;
  const float y = (min.y + max.y) / 2;
  for (const float at : {0.5f, 0.75f}) {
    point_at(min.x + (max.x - min.x) * at, y);
    frames();
  }
  key(Key::n3);
  EXPECT_EQ(workspace().view, "attention");
  EXPECT_EQ(workspace().second_view, "mask");
  point_at(min.x + (max.x - min.x) * 0.25f, y);
  frames();
  key(Key::n1);
  EXPECT_EQ(workspace().view, "steps");
  EXPECT_EQ(workspace().second_view, "mask");
  ASSERT_TRUE(workspace().shows_pinned[0]);
  perform(state(), "view.ask");
  settle();
  EXPECT_EQ(workspace().view, "ask");
  EXPECT_FALSE(workspace().shows_pinned[0]) << "there is no A of that";
}

TEST_F(KeyboardTest, WithoutAOneViewHasNoTwoHalves) {
  open_at("attention");
  perform(state(), "compare.pin");
  settle();
  perform(state(), "compare.both");
  settle();
  perform(state(), "compare.pin");
  settle();
  EXPECT_FALSE(session_->pinned());
  EXPECT_TRUE(workspace().second_view.empty());
  perform(state(), "compare.pin");
  workspace().view = "ask";
  settle();
  EXPECT_FALSE(perform(state(), "compare.both")) << "Ask shows no run: there is nothing to put beside it";
  perform(state(), "view.two");
  EXPECT_NE(workspace().second_view, "ask");
  EXPECT_FALSE(workspace().shows_pinned[0]);
}

TEST_F(KeyboardTest, ADoubleClickOnACellOfAttentionOpensAFieldForDigits) {
  open_at("attention");
  const Site pattern = *parse_site("blocks.0.attn.pattern");
  go_to_site(workspace(), run(), pattern);
  settle();
  point_at_cell("matrix.attention.plane", 2, 1);
  double_click();
  ASSERT_TRUE(shows("attention.cell_number"));
  type("2x");
  EXPECT_EQ(workspace().view, "attention") << "the digit stays in the field";
  key(Key::enter);
  EXPECT_TRUE(shows("number_refused"));
  EXPECT_TRUE(document().edits.empty());
  key(Key::a, true);
  type("0.25");
  key(Key::enter);
  settle();
  EXPECT_FALSE(shows("attention.cell_number"));
  ASSERT_EQ(document().edits.size(), 1u);
  EXPECT_EQ(run().trace(0).cell(pattern, {workspace().cursor.head, 2, 1}), 0.25f);
}

// A slow frame holds the double click and what was typed after it; the field has the keyboard a frame later.
TEST_F(KeyboardTest, WhatIsTypedWhileTheFieldOfACellOpensGoesIntoIt) {
  open_at("attention");
  const Site pattern = *parse_site("blocks.0.attn.pattern");
  go_to_site(workspace(), run(), pattern);
  settle();
  point_at_cell("matrix.attention.plane", 2, 1);
  for (const bool down : {true, false}) {
    press(down);
    frames(1);
  }
  ImGuiIO& io = ImGui::GetIO();
  press(true);
  io.AddInputCharactersUTF8("0");
  frames(1);
  press(false);
  compat::feed_key(io, compat::Key::n2, true);
  io.AddInputCharactersUTF8(".2");
  frames(1);
  compat::feed_key(io, compat::Key::n2, false);
  io.AddInputCharactersUTF8("5");
  frames();
  EXPECT_EQ(workspace().view, "attention") << "2 would open another view";
  ASSERT_TRUE(shows("attention.cell_number"));
  key(compat::Key::enter);
  settle();
  ASSERT_EQ(document().edits.size(), 1u);
  EXPECT_EQ(run().trace(0).cell(pattern, {workspace().cursor.head, 2, 1}), 0.25f);
}

TEST_F(KeyboardTest, DigitsAfterAClickOnWhatTakesNumbersSwitchNoView) {
  open_at("labs");
  workspace().lab = "softmax";
  settle();
  click("lab_largest");
  key(Key::n3);
  EXPECT_EQ(workspace().view, "labs") << "a slider";
  key(Key::escape);
  key(Key::n3);
  EXPECT_EQ(workspace().view, "mask") << "Escape gives the digits back";
  for (const char* view : {"attention", "steps"}) {
    workspace().view = view;
    go_to_site(workspace(), run(), *parse_site("blocks.0.attn.pattern"));
    settle();
    std::string matrix;
    for (const auto& [name, item] : noted_items())
      if (name.starts_with("matrix.") && item.rows == 4 && item.cols == 4 && item.p1.x - item.p0.x > 100)
        matrix = name;
    ASSERT_FALSE(matrix.empty()) << view;
    point_at_cell(matrix, 2, 1);
    press(true);
    frames(1);
    press(false);
    frames();
    ASSERT_EQ(workspace().cursor.query, 2) << view;
    key(Key::n3);
    EXPECT_EQ(workspace().view, view) << "a cell that is pinned";
    click("tab_" + std::string(view));
    key(Key::n3);
    EXPECT_EQ(workspace().view, "mask") << view;
  }
}

TEST_F(KeyboardTest, DigitsAfterEnterInTheFieldOfACellSwitchNoView) {
  open_at("attention");
  go_to_site(workspace(), run(), *parse_site("blocks.0.attn.pattern"));
  settle();
  point_at_cell("matrix.attention.plane", 2, 1);
  double_click();
  ASSERT_TRUE(shows("attention.cell_number"));
  type("0.25");
  key(Key::enter);
  settle();
  ASSERT_FALSE(shows("attention.cell_number"));
  ASSERT_EQ(document().edits.size(), 1u);
  key(Key::n3);
  EXPECT_EQ(workspace().view, "attention");
  key(Key::escape);
  key(Key::n3);
  EXPECT_EQ(workspace().view, "mask");
}

TEST_F(KeyboardTest, ASliderOfPowersTakesTheValueThatIsTyped) {
  ASSERT_TRUE(session_->train(*training_settings("sorter"), false));
  session_->training().wait();
  settle();
  session_->training().step_once();
  session_->training().wait();
  workspace().view = "training";
  settle();
  frames(20);
  const auto factor = [&] { return session_->training().snapshot()->learning_rate_factor; };
  ASSERT_TRUE(shows("train_factor"));
  const auto type_into = [&](const std::string& item, const std::string& text) {
    const ItemRect rect = noted_items().at(item);
    compat::feed_modifiers(ImGui::GetIO(), true, false, false);
    point_at((rect.p0.x + rect.p1.x) / 2, (rect.p0.y + rect.p1.y) / 2);
    frames();
    press(true);
    frames();
    press(false);
    compat::feed_modifiers(ImGui::GetIO(), false, false, false);
    frames();
    type(text);
    key(Key::enter);
    session_->training().wait();
    settle();
  };
  type_into("train_factor", "3");
  EXPECT_DOUBLE_EQ(factor(), 3) << "not ten to the third";
  type_into("train_factor", "0.02");
  EXPECT_FLOAT_EQ(static_cast<float>(factor()), 0.02f);
}

TEST_F(KeyboardTest, AClickIntoANumberOfTheCalculatorTakesTheDigits) {
  open_at("calculator");
  click("calc_batch");
  type("1k");
  key(Key::enter);
  EXPECT_EQ(workspace().view, "calculator");
  EXPECT_FALSE(shows("number_refused"));
}

}  // namespace
}  // namespace attnscope
