// What is typed, clicked and searched in the input bar, without a screen.
#include <algorithm>
#include <cmath>

#include "app/state/controls.h"
#include "core/session/mask_edits.h"
#include "tests/app/ui_driver.h"

namespace attnscope {
namespace {

using compat::Key;
using testing::FrameTest;

// Of the notices on screen those of edits that went with their words.
std::vector<std::string> edits_gone_said(const FrameState& state) {
  std::vector<std::string> out;
  for (const Notice& notice : state.notices)
    if (const std::string key = notice.text.key(); key == "input.edit_gone" || key == "input.edits_gone")
      out.push_back(key);
  return out;
}

std::vector<int> ids_of(const Document& document) { return document.sequences.front().input.ids; }

TEST_F(FrameTest, TypedIdsRunAndABurstIsOneUndoPoint) {
  open_model("gpt2");
  const std::vector<int> first = ids_of(document());
  key(Key::t, true);
  frames();
  EXPECT_TRUE(ImGui::GetIO().WantTextInput);
  key(Key::a, true);
  type("12 7 99");
  settle();
  EXPECT_EQ(ids_of(document()), (std::vector<int>{12, 7, 99}));
  EXPECT_EQ(run().trace(0).length, 3);
  click_view("steps");
  key(Key::z, true);
  settle();
  EXPECT_EQ(ids_of(document()), first);
}

// An edit is of the word that stood there: it goes with it, and undo brings both back.
TEST_F(FrameTest, EditsOfWordsThatATypedTextHasNoLongerGo) {
  open_model("gpt2");
  type_over("12 7 99");
  click_view("steps");
  settle();
  const auto edit = parse_edit("blocks.0.attn.masked[head=0,query=2,key=1]=-inf");
  ASSERT_TRUE(edit);
  ASSERT_TRUE(session_->edit(Text("edit"), "test", [&](Document& changed) -> Status {
    put_edit(changed, *edit);
    return Done{};
  }));
  settle();
  type_over("12 7 99 3");
  settle();
  EXPECT_EQ(document().edits.size(), 1u) << "the words are still there, whatever stood there meanwhile";
  EXPECT_TRUE(edits_gone_said(state()).empty());
  key(Key::a, true);
  type("5 6 99");
  settle();
  EXPECT_EQ(ids_of(document()), (std::vector<int>{5, 6, 99}));
  EXPECT_TRUE(document().edits.empty());
  EXPECT_TRUE(edits_gone_said(state()).empty()) << "the next key may bring it back";
  click_view("steps");
  EXPECT_EQ(edits_gone_said(state()), std::vector<std::string>{"input.edit_gone"}) << "nobody types any more";
  key(Key::z, true);
  settle();
  EXPECT_EQ(document().edits.size(), 1u);
  EXPECT_TRUE(edits_gone_said(state()).empty()) << "it is back";
  EXPECT_TRUE(missing_keys().empty()) << missing_keys().front();
}

TEST_F(FrameTest, EditsThatComeBackWhileOneTypesAreNotMissed) {
  open_model("gpt2");
  type_over("12 7 99");
  click_view("steps");
  settle();
  ASSERT_TRUE(session_->edit(Text("edit"), "test", [](Document& changed) -> Status {
    for (const char* text : {"blocks.0.mlp.out[pos=1]=0", "blocks.0.mlp.out[pos=2]=0"}) {
      const auto edit = parse_edit(text);
      if (!edit) return edit.error();
      put_edit(changed, *edit);
    }
    return Done{};
  }));
  settle();
  type_over("5");
  key(Key::escape);
  settle();
  EXPECT_EQ(document().edits.size(), 2u);
  EXPECT_TRUE(edits_gone_said(state()).empty()) << "Escape brought them back";
  type_over("12 7 99 4");
  click_view("steps");
  settle();
  EXPECT_TRUE(edits_gone_said(state()).empty());
  type_over("5");
  click_view("steps");
  settle();
  EXPECT_EQ(edits_gone_said(state()), std::vector<std::string>{"input.edits_gone"});
}

TEST_F(FrameTest, TextThatIsNoInputStaysWithASentence) {
  open_model("gpt2");
  const std::vector<int> first = ids_of(document());
  type_over("12 \xEC\x96\xB4");
  settle();
  EXPECT_TRUE(shows("input_error"));
  EXPECT_EQ(ids_of(document()), std::vector<int>{12});
  key(Key::a, true);
  key(Key::del);
  settle();
  EXPECT_TRUE(shows("input_error")) << "an empty text is said too";
  EXPECT_EQ(run().trace(0).length, 1);
}

TEST_F(FrameTest, AnIdOutsideOfTheVocabularyIsSaidAndNotTaken) {
  open_model("gpt2");
  key(Key::t, true);
  key(Key::end);
  type(" 999999");
  settle();
  EXPECT_TRUE(shows("input_error"));
  EXPECT_FALSE(session_->error());
  const std::vector<int> ids = ids_of(document());
  EXPECT_LT(*std::max_element(ids.begin(), ids.end()), document().model->config().vocab_size);
}

TEST_F(FrameTest, LettersTypedAsTextAreNoShortcuts) {
  open_model("gpt2");
  key(Key::t, true);
  const bool difference = workspace().show_difference;
  key(Key::d);
  key(Key::n2);
  EXPECT_EQ(workspace().show_difference, difference);
  EXPECT_EQ(theme().kind, ThemeKind::dark);
}

TEST_F(FrameTest, AChipIsTheQueryAndItsMenuReplacesTheToken) {
  open_model("gpt2");
  click("chip1");
  EXPECT_EQ(workspace().cursor.query, 1);
  click("chip2", 1);
  ASSERT_TRUE(shows("token_search"));
  settle();
  type("77");
  settle();
  key(Key::enter);
  settle();
  EXPECT_EQ(ids_of(document())[2], 77);
  key(Key::z, true);
  settle();
  EXPECT_NE(ids_of(document())[2], 77);
}

TEST_F(FrameTest, AChipIsDeletedThroughItsMenu) {
  open_model("llama");
  const std::vector<int> first = ids_of(document());
  click("chip1", 1);
  click("chip_menu.delete");
  settle();
  std::vector<int> expected = first;
  expected.erase(expected.begin() + 1);
  EXPECT_EQ(ids_of(document()), expected);
}

TEST_F(FrameTest, ASceneGrowsAndShrinksByARow) {
  open_default();
  const Tensor first = document().sequences[0].input.vectors;
  click("add_token");
  settle();
  const Tensor grown = document().sequences[0].input.vectors;
  ASSERT_EQ(grown.size(0), 5);
  EXPECT_EQ(max_abs_difference(grown.slice(0, 0, 4), first), 0) << "the old rows stay";
  EXPECT_EQ(run().trace(1).length, 5) << "every sequence grows";
  click("chip0", 1);
  click("chip_menu.delete");
  settle();
  EXPECT_EQ(document().sequences[0].input.vectors.size(0), 4);
  EXPECT_EQ(document().sequences[0].input.vectors.at(0, 0), first.at(1, 0));
}

TEST_F(FrameTest, NewNumbersComeFromAShownSeed) {
  open_default();
  click("sizes");
  click("new_numbers");
  settle();
  ASSERT_TRUE(document().opened->scene);
  EXPECT_TRUE(document().opened->scene->from_seed);
  EXPECT_EQ(document().opened->scene->seed, 124u);
  key(Key::escape);
  key(Key::z, true);
  settle();
  EXPECT_EQ(document().opened->scene->seed, 123u);
}

TEST_F(FrameTest, TheMaskOfTheInputIsWrittenInTheWindowsLanguage) {
  open_model("bert");
  const auto width = [&](const std::string& of) {
    return button_width({tr("input.mask.now", {of}) + " \u25be", "###mask"});
  };
  for (const auto& [mask, key] :
       {std::pair("model", "input.mask.model"), std::pair("causal", "mask.kind.causal")}) {
    ASSERT_TRUE(session_->edit("Mask", {}, [mask = mask](Document& changed) {
      return set_mask_text(changed, mask, AttentionKind::main);
    }));
    state().set_language("ko");
    settle();
    const ItemRect& shown = noted_items().at("mask");
    const float as_shown = shown.p1.x - shown.p0.x;  // paddings of the bar are a few pixels less
    EXPECT_LT(std::abs(as_shown - width(tr(key))), 6) << mask;
    EXPECT_GT(std::abs(width(tr(key)) - width(mask)), 12) << mask << ": the widths tell the words apart";
  }
}

TEST_F(FrameTest, GenerateAppendsATokenAndIsUndone) {
  open_model("gpt2");
  const std::size_t length = ids_of(document()).size();
  click("generate");
  settle();
  EXPECT_EQ(ids_of(document()).size(), length + 1);
  key(Key::z, true);
  settle();
  EXPECT_EQ(ids_of(document()).size(), length);
}

}  // namespace
}  // namespace attnscope
