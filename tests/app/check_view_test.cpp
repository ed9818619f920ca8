// The Check view with the mouse: against the pinned run after an edit, and against a recorded file; a file
// that is none, and one of other tokens.
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
  void open_reference(const std::string& path) {
    click("check_open");
    settle();
    type(path);
    key(compat::Key::enter);
    settle();
  }
};

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
  const std::string path = folder / "run.safetensors";
  testing::Arrays arrays;
  arrays.add(run().trace(0));
  ASSERT_TRUE(write_safetensors(path, arrays.tensors, arrays.ints));
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
  const std::string path = folder / "run.safetensors";
  testing::Arrays arrays;
  arrays.add(run().trace(0));
  ASSERT_TRUE(write_safetensors(path, arrays.tensors, arrays.ints));
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
