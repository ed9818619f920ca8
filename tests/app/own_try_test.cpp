// A text of one's own in the easy window: what there is to try is made for it, by a run.
#include "app/shell/own_try.h"

#include "app/look/item_map.h"
#include "core/base/words.h"
#include "core/session/request.h"
#include "tests/app/ui_driver.h"

namespace attnscope {
namespace {

class OwnTryTest : public testing::FrameTest {
 protected:
  void write(const std::string& model, const std::string& text, Stack of = Stack::single) {
    workspace().animate = false;
    workspace().level = Level::easy;
    workspace().view = "attention";
    state().open_shipped_model(model);
    settle();
    ASSERT_TRUE(session_->result());
    ASSERT_TRUE(
        session_->edit(Text("x"), {}, [&](Document& document) { return set_text(document, 0, text, of); }));
    settle();
    frames();
  }
};

TEST_F(OwnTryTest, IsOfTheTextThatWasWrittenAndComesTrue) {
  write("storyteller", "The dog saw the bird");
  ASSERT_TRUE(shows("try_sentence"));
  const Document before = document();
  const auto thing = made_try(before, run().traces.front(), run().trace(0).length - 1, TryKind::hide);
  ASSERT_TRUE(thing && *thing);
  click("try_show");
  settle();
  ASSERT_FALSE(document().edits.empty());
  EXPECT_EQ(document().sequences.front().text, "The dog saw the bird");
  const auto changed = try_changed(before, **thing);
  ASSERT_TRUE(changed);
  EXPECT_TRUE(same_computation(document(), *changed));
  EXPECT_TRUE(shows("try_done") && shows("try_sentence"));
  const Trace& trace = run().trace(0);
  const auto tokens = next_tokens(trace.logits_row(trace.length - 1), Sampling{});
  EXPECT_NEAR(static_cast<double>(tokens.front().prob), (*thing)->share_after, 1e-4);
  click("try_show");  // back
  settle();
  EXPECT_TRUE(document().edits.empty());
  EXPECT_FALSE(shows("try_done"));
}

TEST_F(OwnTryTest, FollowsAnEditAndKeepsIt) {
  write("storyteller", "The dog saw the bird");
  Request request;
  request.edits = {"blocks.1.attn.z[head=1]=0"};
  ASSERT_TRUE(
      session_->edit(Text("x"), {}, [&](Document& document) { return apply_request(document, request); }));
  settle();
  frames();
  const Document before = document();
  click("try_show");
  settle();
  ASSERT_EQ(document().edits.size(), 2u) << "what was changed before stays";
  EXPECT_TRUE(shows("try_done"));
  click("try_show");
  settle();
  EXPECT_TRUE(same_computation(document(), before));
}

TEST_F(OwnTryTest, IsDoneInTheViewThatIsOpen) {
  write("storyteller", "The dog saw the bird");
  for (const char* view : {"residual", "mlp", "attention"}) {
    workspace().view = view;
    settle();
    frames();
    click("try_show");
    settle();
    EXPECT_EQ(workspace().view, view);
    EXPECT_TRUE(shows("try_done")) << view;
    click("try_show");
    settle();
  }
  click("try_next");
  settle();
  frames();
  click("try_show");
  settle();
  EXPECT_EQ(workspace().view, "residual") << "the next kind is that of attention as a whole";
}

TEST_F(OwnTryTest, IsOfferedForATranslationToo) {
  write("translator", "the dog saw the cat", Stack::enc);
  ASSERT_TRUE(shows("try_sentence"));
  const std::vector<int> source = document().sequences.front().input.source;
  click("try_show");
  settle();
  EXPECT_EQ(document().sequences.front().input.source, source);
  EXPECT_FALSE(document().edits.empty());
  EXPECT_TRUE(shows("try_done"));
}

TEST_F(OwnTryTest, TheTextThatItBeganWithHasItsOwnThingsAgain) {
  write("storyteller", "The dog saw the bird");
  session_->undo();
  settle();
  frames();
  click("try_show");
  settle();
  const auto things = things_to_try(*document().opened);
  ASSERT_TRUE(things);
  const auto changed = try_changed(document().opened, things->front());
  ASSERT_TRUE(changed);
  EXPECT_TRUE(same_computation(document(), *changed));
}

}  // namespace
}  // namespace attnscope
