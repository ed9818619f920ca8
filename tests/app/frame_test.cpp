// The whole frame without a screen: walking, views, editing, undo, look, errors, and that no text is missing.
#include <algorithm>
#include <cmath>

#include "app/look/fonts.h"
#include "app/shell/compare_bar.h"
#include "app/shell/startup.h"
#include "core/session/mask_edits.h"
#include "tests/app/ui_driver.h"

namespace attnscope {
namespace {

using compat::Key;
using testing::FrameTest;

float first_output(const RunResult& run) { return run.trace(0).cell(run.steps.back().main, {0, 0}); }

TEST_F(FrameTest, WithNothingOpenItOffersScenes) {
  settle();
  EXPECT_FALSE(session_->result());
  key(Key::right);
  key(Key::z, true);
  EXPECT_TRUE(missing_keys().empty()) << missing_keys().front();
}

TEST_F(FrameTest, ArrowsWalkTheNineSteps) {
  open_default();
  ASSERT_EQ(run().steps.size(), 9u);
  EXPECT_EQ(step(), 0);
  key(Key::left);
  EXPECT_EQ(step(), 0);
  for (int i = 1; i <= 9; ++i) {
    key(Key::right);
    EXPECT_EQ(step(), std::min(i, 8));
  }
  key(Key::home);
  EXPECT_EQ(step(), 0);
  key(Key::end);
  EXPECT_EQ(step(), 8);
}

TEST_F(FrameTest, SpacePlaysAtTheSpeedAndStopsAtTheEnd) {
  open_default();
  workspace().speed = 4;
  key(Key::space);
  EXPECT_TRUE(workspace().playing);
  EXPECT_TRUE(frame_->moving());
  frames(30);  // half a second
  EXPECT_NEAR(step(), 2, 1);
  frames(180);
  EXPECT_EQ(step(), 8);
  EXPECT_FALSE(workspace().playing);
}

TEST_F(FrameTest, EveryViewIsDrawnByTabAndByNumberAndNoTextIsMissing) {
  for (const char* model : {"", "gpt2", "llama"}) {
    if (model[0] == 0)
      open_default();
    else
      open_model(model);
    int number = 1;
    for (const auto& view : state().views) {
      const std::string id = view->id();
      if (view->unavailable(run()).empty()) {
        click_view(id);
        settle();
        EXPECT_EQ(workspace().view, id);
      }
      if (number > 9) continue;  // the digits are used up
      workspace().view = state().views.front()->id();
      if (number > 9) continue;  // there are keys for nine
      key(static_cast<Key>(static_cast<int>(Key::n0) + number++));
      EXPECT_EQ(workspace().view, id);
    }
  }
  EXPECT_TRUE(missing_keys().empty()) << missing_keys().front();
}

TEST_F(FrameTest, ViewsThatHaveNothingToSayAreNoTabs) {
  ImGui::GetIO().DisplaySize = ImVec2(2560, 1080);
  open_default();
  workspace().view = "steps";
  frames();
  int hidden = 0;
  for (const auto& view : state().views) {
    const bool says = view->unavailable(run()).empty();
    EXPECT_EQ(shows(std::string("tab_") + view->id()), says) << view->id();
    hidden += says ? 0 : 1;
  }
  EXPECT_GE(hidden, 5);
  workspace().view = "output";
  frames();
  EXPECT_TRUE(shows("tab_output")) << "the open one says why it is empty";
}

TEST_F(FrameTest, ScenesOpenWhereTheyAreAbout) {
  state().open_shipped("it_cat_mat");
  settle();
  EXPECT_EQ(workspace().cursor.query, 0) << "it asks, cat and mat are asked";
  EXPECT_NE(workspace().cursor.key, 0);
  state().open_shipped("three_sentences");
  settle();
  EXPECT_TRUE(document().padding.on);
  EXPECT_EQ(run().trace(0).length, run().trace(1).length);
  state().open_shipped("tiny_gpt");
  settle();
  EXPECT_FALSE(document().padding.on);
}

TEST_F(FrameTest, LearnedPositionsHaveNoTabsOfSines) {
  open_model("gpt2");
  workspace().view = "position";
  settle();
  click("position_of_model");
  click("position_menu");
  EXPECT_TRUE(shows("position_dots_page"));
  for (const char* page : {"position_clocks_page", "position_shift_page"}) EXPECT_FALSE(shows(page)) << page;
  key(compat::Key::escape);
  frames(2);
  frames(2);
  click("position_of_formula");
  click("position_menu");
  for (const char* page : {"position_clocks_page", "position_shift_page"}) EXPECT_TRUE(shows(page)) << page;
}

TEST_F(FrameTest, OutputBeginsAtTheLastPosition) {
  if (!open_shipped_or_skip("storyteller")) return;
  workspace().view = "output";
  go_to_step(workspace(), run(), 0);
  settle();
  settle();
  const std::vector<int> before = document().sequences[0].input.ids;
  ASSERT_TRUE(shows("next_0"));
  click("next_0");
  settle();
  const std::vector<int>& after = document().sequences[0].input.ids;
  ASSERT_EQ(after.size(), before.size() + 1);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin())) << "at the end";
}

TEST_F(FrameTest, TwoViewsStandSideBySideTheSameOneTwiceToo) {
  open_default();
  click("two_views");
  ASSERT_FALSE(workspace().second_view.empty());
  const std::string first = workspace().view, second = workspace().second_view;
  EXPECT_NE(first, second);
  for (const auto& view : state().views) {
    workspace().view = view->id();
    settle();
    EXPECT_EQ(workspace().second_view, second) << "each half keeps its own";
    EXPECT_EQ(workspace().view, view->id());
  }
  EXPECT_TRUE(state().faults.empty());
}

TEST_F(FrameTest, TheFigureOfAnEditedRunSaysSo) {
  open_default();
  const auto told = [&] {
    const DisplayList list = drawn();
    return std::any_of(list.items().begin(), list.items().end(),
                       [&](const DrawItem& item) { return list.text(item).starts_with("edited: "); });
  };
  EXPECT_FALSE(told());
  state().commands.edit("Set one number", {},
                        [&](Document& changed) { return set_input_cell(changed, 0, 0, 0, 2.5f); });
  settle();
  EXPECT_TRUE(told());
}

TEST_F(FrameTest, APinnedRunIsComparedWithWhatFollows) {
  open_default();
  state().session.pin();
  const auto pinned = state().session.pinned();
  ASSERT_TRUE(pinned);
  EXPECT_EQ(pinned_name(*pinned, &run(), 0).find("edited"), std::string::npos);
  for (const float value : {2.5f, -1.f}) {
    state().commands.edit("Set one number", {},
                          [&](Document& changed) { return set_input_cell(changed, 0, 0, 0, value); });
    settle();
  }
  EXPECT_EQ(state().session.against(), pinned) << "not the run before the last edit";
  EXPECT_NE(state().session.previous(), pinned);
  click("both_runs");
  EXPECT_EQ(workspace().view, workspace().second_view);
  EXPECT_TRUE(workspace().shows_pinned[0]);
  EXPECT_FALSE(workspace().shows_pinned[1]);
  for (const auto& view : state().views) {  // A and B of every view
    workspace().view = workspace().second_view = view->id();
    settle();
    EXPECT_TRUE(state().faults.empty()) << view->id();
  }
  const float edited = first_output(run());
  click("swap_runs");
  settle();
  EXPECT_NE(first_output(run()), edited);
  EXPECT_EQ(first_output(run()), first_output(*pinned));
  EXPECT_EQ(first_output(*state().session.pinned()), edited);
  EXPECT_NE(pinned_name(*state().session.pinned(), &run(), 0).find("(edited)"), std::string::npos);
  click("unpin_run");
  settle();
  EXPECT_FALSE(state().session.pinned());
  EXPECT_FALSE(workspace().shows_pinned[0]);
}

TEST_F(FrameTest, AnEditedInputChangesTheResultAndUndoBringsItBack) {
  open_default();
  const float before = first_output(run());
  state().commands.edit("Set one number", {},
                        [](Document& changed) { return set_input_cell(changed, 0, 0, 0, 2.5f); });
  settle();
  const float edited = first_output(run());
  EXPECT_NE(before, edited);
  EXPECT_TRUE(session_->previous());
  key(Key::z, true);
  settle();
  EXPECT_EQ(first_output(run()), before);
  key(Key::z, true, true);
  settle();
  EXPECT_EQ(first_output(run()), edited);
  key(Key::z, true);
  key(Key::y, true);
  settle();
  EXPECT_EQ(first_output(run()), edited);
}

TEST_F(FrameTest, TheAnswerOfASmallModelIsInTheNextFrame) {
  open_default();
  int in_time = 0;
  for (int i = 0; i < 20; ++i) {
    const std::uint64_t version = run().version;
    const float value = static_cast<float>(i);
    state().commands.edit("Set one number", {},
                          [value](Document& changed) { return set_input_cell(changed, 0, 0, 0, value); });
    frames(2);  // the edit is carried out at the end of the first and drawn in the second
    in_time += frame_->run()->version > version ? 1 : 0;
    settle();
  }
  EXPECT_GE(in_time, 10);
}

TEST_F(FrameTest, ThemeDifferenceAndLogScaleByKeyAndButton) {
  open_default();
  key(Key::t);
  EXPECT_EQ(theme().kind, ThemeKind::light);
  click("theme");
  EXPECT_EQ(theme().kind, ThemeKind::dark);
  key(Key::d);
  EXPECT_TRUE(workspace().show_difference);
  click("difference");
  EXPECT_FALSE(workspace().show_difference);
  key(Key::l);
  EXPECT_TRUE(workspace().log_scale);
}

TEST_F(FrameTest, UpAndDownMoveHeadsOfASceneAndBlocksOfAModel) {
  open_default();
  key(Key::down);
  EXPECT_EQ(workspace().cursor.head, 1);
  key(Key::down);
  EXPECT_EQ(workspace().cursor.head, 1);
  open_model("gpt2");
  key(Key::down);
  EXPECT_EQ(workspace().cursor.layer, 1);
  key(Key::down, false, true);
  EXPECT_EQ(workspace().cursor.head, 1);
  key(Key::up);
  EXPECT_EQ(workspace().cursor.layer, 0);
}

TEST_F(FrameTest, ACursorOutsideOfTheRunIsBroughtBack) {
  open_model("gpt2");
  workspace().cursor.layer = 99;
  workspace().cursor.head = -3;
  workspace().cursor.query = 1000;
  workspace().cursor.sequence = 7;
  workspace().cursor.pinned = Cell{site_of(Slot::pattern, 0), {{"head", 0}, {"query", 900}, {"key", 0}}};
  frames();
  EXPECT_EQ(workspace().cursor.layer, run().document.model->config().n_layers() - 1);
  EXPECT_EQ(workspace().cursor.head, 0);
  EXPECT_EQ(workspace().cursor.query, run().trace(0).length - 1);
  EXPECT_EQ(workspace().cursor.sequence, 0);
  EXPECT_FALSE(workspace().cursor.pinned);
}

TEST_F(FrameTest, AStepIsKeptWhenAnotherModelHasItToo) {
  open_model("gpt2");
  const auto scores = parse_site("blocks.0.attn.scores");
  ASSERT_TRUE(scores);
  workspace().cursor.step = *scores;
  open_model("llama");
  EXPECT_EQ(to_text(workspace().cursor.step), "blocks.0.attn.scores");
}

TEST_F(FrameTest, WhatIsReadAgainIsShownAtTheSamePlace) {
  open_model("gpt2");
  workspace().cursor.step = *parse_site("logits");
  workspace().cursor.head = 2;
  workspace().cursor.query = 1;
  const auto before = state().session.opened_version();
  state().session.read_again();
  settle();
  ASSERT_NE(state().session.opened_version(), before);
  EXPECT_EQ(to_text(workspace().cursor.step), "logits");
  EXPECT_EQ(workspace().cursor.head, 2);
  EXPECT_EQ(workspace().cursor.query, 1);
}

TEST_F(FrameTest, ABrokenPathIsSaidAndTheOldModelStays) {
  open_default();
  state().open("/nowhere/at/all");
  settle();
  ASSERT_TRUE(session_->error());
  EXPECT_TRUE(session_->result());
  EXPECT_TRUE(shows("dismiss"));
  click("dismiss");
  EXPECT_FALSE(session_->error());
}

TEST_F(FrameTest, ItFitsSmallAndLargeScreens) {
  open_model("gpt2");
  for (const ImVec2 size : {ImVec2(1280, 720), ImVec2(640, 400), ImVec2(320, 320), ImVec2(2560, 1440)}) {
    ImGui::GetIO().DisplaySize = size;
    settle();
    EXPECT_LE(state().stage_min.x, state().stage_max.x);
    if (size.x >= 1280) {
      for (const char* item : {"theme", "export", "two_views", "chooser"})
        EXPECT_TRUE(shows(item)) << item << " at " << size.x;
    }
  }
}

// The figure of a step has its large row, and the line below it its words, in the smallest window of a
// lecture hall.
TEST_F(FrameTest, AWindowOf1024GivesTheStageTheRoomOfTheMap) {
  open_default();
  ImGui::GetIO().DisplaySize = ImVec2(1024, 768);
  settle();
  EXPECT_GE(state().stage_max.x - state().stage_min.x, 640.f);
  EXPECT_FALSE(shows("split_map"));
  ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  settle();
  EXPECT_TRUE(shows("split_map"));
}

TEST_F(FrameTest, TheModelsButtonAndPinAStayWhole) {
  open_model("gpt2");
  for (const char* language : {"en", "ko"}) {
    ASSERT_TRUE(set_language(language));
    for (const ImVec2 size : {ImVec2(900, 600), ImVec2(800, 450), ImVec2(1280, 720)}) {
      ImGui::GetIO().DisplaySize = size;
      settle();
      float menus = 0;
      for (const auto& [name, rect] : noted_items())
        if (name.starts_with("toolbar.")) menus = std::max(menus, rect.p1.x);
      for (const char* item : {"chooser", "pin"}) {
        ASSERT_TRUE(shows(item)) << item << " " << size.x << " " << language;
        EXPECT_GE(noted_items().at(item).p0.x, menus) << item << " " << size.x << " " << language;
        EXPECT_LE(noted_items().at(item).p1.x, size.x) << item << " " << size.x << " " << language;
      }
    }
  }
}

TEST_F(FrameTest, HelpAndAboutOpenAndClose) {
  open_default();
  key(Key::f1);
  EXPECT_TRUE(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel));
  key(Key::right);
  EXPECT_EQ(step(), 0) << "keys move nothing behind a dialog";
  key(Key::escape);
  EXPECT_FALSE(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel));
  state().show_about = true;
  frames();
  key(Key::escape);
  EXPECT_TRUE(missing_keys().empty()) << missing_keys().front();
}

TEST_F(FrameTest, TheLayerOfTheCommandLineIsWhereTheWalkStands) {
  open_model("gpt2");
  settle();
  for (const int layer : {2, 0, 99}) {
    Options options;
    options.layer = layer;
    std::vector<std::string> notes;
    ASSERT_TRUE(apply_cursor(state(), *session_->result(), options, notes));
    EXPECT_EQ(workspace().cursor.layer, std::min(layer, 2));
    EXPECT_TRUE(workspace().cursor.step.layer < 0 || workspace().cursor.step.layer == std::min(layer, 2));
    EXPECT_EQ(notes.size(), layer == 99 ? 1u : 0u);
  }
}

TEST_F(FrameTest, ThereIsOneMaskInTheViewAndAboveTheStage) {
  open_model("gpt2");
  workspace().view = "mask";
  settle();
  click("mask_kind_full");
  settle();
  EXPECT_EQ(asked_mask(document(), AttentionKind::main).text(), "full");
  EXPECT_TRUE(switched_cells(document(), AttentionKind::main).empty())
      << "the text says it, no cell was switched";
  ASSERT_TRUE(session_->edit("cell", {}, [](Document& changed) -> Status {
    set_mask_cell(changed, 1, 0, false);
    return Done{};
  }));
  settle();
  EXPECT_TRUE(shows("mask_cells_dot")) << "above the stage one sees that the text is not all";
  click("mask_kind_causal");
  settle();
  EXPECT_EQ(asked_mask(document(), AttentionKind::main).text(), "causal");
  EXPECT_TRUE(switched_cells(document(), AttentionKind::main).empty())
      << "a preset takes back what was switched";
  EXPECT_FALSE(shows("mask_cells_dot"));
  click("mask");
  settle();
  click("mask_preset0");
  settle();
  EXPECT_TRUE(all_own_masks(document()));
  session_->undo();
  settle();
  EXPECT_EQ(asked_mask(document(), AttentionKind::main).text(), "causal");
}

#if IMGUI_VERSION_NUM < 19200  // later ones load every glyph when it is drawn
TEST_F(FrameTest, LettersThatNoTokenHasCanBeReadWhoeverTypedThem) {
  if (state().models().empty()) GTEST_SKIP() << "built without models";
  if (!font_warning().empty()) GTEST_SKIP() << font_warning();
  state().open(kModelPrefix + state().models().front().name);
  settle();
  const ImWchar letter = 0xC040;  // of no vocabulary and of no sentence of the program
  const auto readable = [&] {
    return fonts().body->FindGlyphNoFallback(letter) != nullptr &&
           fonts().mono->FindGlyphNoFallback(letter) != nullptr;
  };
  ASSERT_FALSE(readable());
  ASSERT_TRUE(session_->edit("as the command line does", {},
                             [](Document& changed) { return set_text(changed, 0, "the cat 쁀"); }));
  settle();
  EXPECT_TRUE(fonts_pending());
  rebuild_fonts();
  frames();
  EXPECT_TRUE(readable());
}
#endif

}  // namespace
}  // namespace attnscope
