// The Check view with the mouse: the shipped models against PyTorch's numbers without a click, and what is
// open against them; against the pinned run after an edit, and against a recorded file; a file that is none,
// and one of other tokens.
#include <set>

#include "core/io/writers.h"
#include "core/lens/step_differences.h"
#include "tests/app/ui_driver.h"
#include "tests/recordings.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

class CheckViewTest : public testing::FrameTest {
 protected:
  void show() {
    open_model("gpt2");
    workspace().view = "check";
    settle();
  }
  void edit(const char* text) {
    ASSERT_TRUE(session_->edit("edit", {}, [&](Document& d) {
      put_edit(d, *parse_edit(text));
      return Status(Done{});
    }));
    settle();
  }
  // A file of the run that is shown.
  std::string recorded(const testing::TempFolder& folder) {
    testing::Arrays arrays;
    arrays.add(run().trace(0));
    EXPECT_TRUE(write_safetensors(folder / "run.safetensors", arrays.tensors, arrays.ints));
    return folder / "run.safetensors";
  }
  // The models whose mark is red.
  std::set<std::string> marked_red() {
    const DisplayList list = drawn();
    std::set<std::string> out;
    for (const ModelCheck& one : workspace().shipped_check.newest()->models) {
      const ItemRect& at = noted_items().at("check_model_" + one.model.substr(6));
      for (const DrawItem& item : list.items())
        if (item.kind == DrawItem::Kind::rect && item.fill == theme().error && item.p0.x >= at.p0.x &&
            item.p0.y >= at.p0.y && item.p1.x <= at.p1.x && item.p1.y <= at.p1.y)
          out.insert(one.model);
    }
    return out;
  }
  void open_reference(const std::string& path) {
    click("check_open");
    settle();
    type(path);
    key(compat::Key::enter);
    settle();
  }
};

// Begun with the first run, whatever view is shown; the sentence and a mark for each model need no click.
TEST_F(CheckViewTest, EveryShippedModelEqualsPyTorchWithoutAClick) {
  workspace().view = "steps";
  state().open_shipped_model("sorter");
  settle();
  const auto checks = workspace().shipped_check.newest();
  ASSERT_TRUE(checks);
  EXPECT_EQ(checks->first_wrong(), nullptr) << checks->verdict().str();
  workspace().view = "check";
  settle();
  EXPECT_TRUE(shows("check.shipped"));
  EXPECT_TRUE(shows("check.verdict"));
  EXPECT_FALSE(shows("check_go"));
  for (const ModelCheck& one : checks->models) EXPECT_TRUE(shows("check_model_" + one.model.substr(6)));
  click("check_model_induction");
  settle();
  EXPECT_EQ(document().opened->path, "model:induction");
  EXPECT_EQ(workspace().view, "check");
  EXPECT_TRUE(shows("check.verdict"));
  EXPECT_FALSE(shows("check_go"));
}

TEST_F(CheckViewTest, WhatIsOpenIsComparedWithPyTorchAndGoesRedWhereItIsEdited) {
  state().open_shipped_model("sorter");
  workspace().view = "check";
  settle();
  EXPECT_FALSE(shows("check_go"));
  edit("blocks.1.attn.z[head=2]+=0.25");
  click("check_go");
  settle();
  ASSERT_TRUE(workspace().cursor.pinned);
  EXPECT_EQ(to_text(workspace().cursor.pinned->site), "blocks.1.attn.z");
  session_->undo();
  settle();
  EXPECT_FALSE(shows("check_go"));
  // A weight that was changed is found in the step that reads it.
  edit("blocks.0.mlp.out.weight[in=3]*=1.5");
  click("check_go");
  settle();
  EXPECT_EQ(to_text(workspace().cursor.step), "blocks.0.mlp.out");
  // The pinned run takes the place of PyTorch's numbers, until those are chosen.
  key(compat::Key::p);
  session_->undo();
  settle();
  EXPECT_TRUE(shows("check_go")) << "A is the edited run";
  click("check_torch");
  settle();
  EXPECT_FALSE(shows("check_go")) << "undone, the run equals PyTorch's";
  click("check_pinned");
  settle();
  EXPECT_TRUE(shows("check_go"));
}

TEST_F(CheckViewTest, AnotherTextIsSaidAndOneClickLeadsBack) {
  state().open_shipped_model("storyteller");
  workspace().view = "check";
  settle();
  ASSERT_TRUE(session_->edit("token", {}, [&](Document& d) { return replace_token(d, 0, 2, 14); }));
  settle();
  ASSERT_TRUE(shows("check.other_tokens"));
  EXPECT_TRUE(shows("check.verdict"));
  EXPECT_FALSE(shows("check_go")) << "the rows are of the text that PyTorch read";
  click("check_row_5");  // goes to the step, and pins no cell of another text
  EXPECT_FALSE(workspace().cursor.pinned);
  click("check_take");
  settle();
  EXPECT_EQ(run().trace(0).ids, reference_of(*document().opened)->ids);
  EXPECT_FALSE(shows("check.other_tokens"));
  EXPECT_FALSE(shows("check_go"));
}

// What is red in one of the models is drawn, also where a model could not be compared at all.
TEST_F(CheckViewTest, AModelThatDiffersIsRed) {
  show();
  ModelChecks checks = *workspace().shipped_check.newest();
  checks.models[2].steps[4].max_abs = 3;
  checks.models[5].error = fail(Code::not_found, "error.session.reference.none", {"x", "y"});
  EXPECT_EQ(marked_red(), std::set<std::string>());
  workspace().shipped_check.put(checks);
  settle();
  EXPECT_EQ(marked_red(), (std::set<std::string>{checks.models[2].model, checks.models[5].model}));
}

TEST_F(CheckViewTest, TheFirstRedStepIsTheOneThatWasEdited) {
  show();
  EXPECT_FALSE(shows("check.verdict"));
  key(compat::Key::p);
  edit("blocks.1.attn.z[head=1,pos=2]=0");
  click("check_pinned");
  settle();
  ASSERT_TRUE(shows("check.verdict"));
  click("check_go");
  settle();
  ASSERT_TRUE(workspace().cursor.pinned);
  const Site site = workspace().cursor.pinned->site;
  EXPECT_EQ(to_text(site), "blocks.1.attn.z");
  const auto all = step_differences(run().traces, session_->pinned()->traces);
  EXPECT_EQ(first_beyond(all, 1e-4)->at, workspace().cursor.pinned->at);
  // Undone, nothing differs and there is no red step to go to.
  session_->undo();
  settle();
  EXPECT_TRUE(shows("check.verdict"));
  EXPECT_FALSE(shows("check_go"));
}

TEST_F(CheckViewTest, ARecordedFileOfOtherTokensBecomesTheInput) {
  show();
  const testing::TempFolder folder;
  const std::string path = recorded(folder);
  const std::vector<int> ids = run().trace(0).ids;
  open_reference(path);
  ASSERT_TRUE(shows("check.verdict"));
  EXPECT_FALSE(shows("check_go")) << "the recorded run is this run";
  EXPECT_FALSE(shows("check.other_tokens"));
  ASSERT_TRUE(session_->edit("token", {}, [&](Document& d) { return replace_token(d, 0, 1, ids[1] + 1); }));
  settle();
  EXPECT_TRUE(shows("check.other_tokens"));
  EXPECT_TRUE(shows("check_go"));
  click("check_take");
  settle();
  EXPECT_EQ(run().trace(0).ids, ids);
  EXPECT_FALSE(shows("check_go"));
}

TEST_F(CheckViewTest, ARecordedFileOfAnotherLengthIsComparedWhereTheTokensAreTheSame) {
  show();
  const testing::TempFolder folder;
  const std::string path = recorded(folder);
  const auto last = run().trace(0).ids.size() - 1;
  ASSERT_TRUE(session_->edit("shorter", {}, [&](Document& d) { return delete_token(d, 0, last); }));
  settle();
  open_reference(path);
  EXPECT_TRUE(shows("check.other_tokens"));
  EXPECT_TRUE(shows("check.aligned"));
  EXPECT_FALSE(shows("check_go")) << "what both have agrees";
  ASSERT_TRUE(session_->edit("front", {}, [&](Document& d) { return delete_token(d, 0, 0); }));
  settle();
  EXPECT_TRUE(shows("check_go")) << "at other positions the tokens are other rows";
}

TEST_F(CheckViewTest, ASessionKeepsTheReferenceAndSaysWhereItIsMissing) {
  show();
  const testing::TempFolder folder;
  const std::string path = folder / "run.safetensors", session = folder / "s.attnscope";
  testing::Arrays arrays;
  arrays.add(run().trace(0));
  ASSERT_TRUE(write_safetensors(path, arrays.tensors, arrays.ints));
  open_reference(path);
  ASSERT_TRUE(shows("check.verdict"));
  state().save_as(session);
  settle();
  for (const bool there : {true, false}) {
    if (!there) std::filesystem::remove(path);
    open_model("gpt2");
    workspace().view = "check";
    settle();
    state().open(session);
    settle();
    EXPECT_EQ(shows("check.verdict"), there);
    EXPECT_EQ(shows("check.error"), !there);
  }
}

TEST_F(CheckViewTest, AFileThatIsNoRecordingSaysSo) {
  show();
  open_reference(std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/scenes/tiny_gpt.json");
  EXPECT_TRUE(shows("check.error"));
  EXPECT_FALSE(shows("check.verdict"));
}

}  // namespace
}  // namespace attnscope
