// Changing numbers: what can be changed, the sentence, and that the change arrives in the next result.
#include "app/widgets/cell_edit.h"

#include <gtest/gtest.h>

#include "app/widgets/navigation.h"
#include "core/base/assets.h"

namespace attnscope {
namespace {

class CellEditTest : public ::testing::Test {
 protected:
  void SetUp() override {
    session_.open_scene(std::string(asset("assets/scenes/nine_steps.json")), "scene:nine_steps");
    session_.wait();
    ASSERT_TRUE(session_.result());
  }
  const RunResult& run() { return *session_.result(); }
  Cell cell(const char* site, const std::vector<std::int64_t>& index) {
    return cell_at(run().trace(0), *parse_site(site), index);
  }
  void carry_out() {
    commands_.carry_out(session_);
    session_.wait();
  }
  Session session_;
  Commands commands_;
};

TEST_F(CellEditTest, AStepIsSetWhileItRuns) {
  const Cell scores = cell("blocks.0.attn.scores", {0, 2, 1});
  ASSERT_TRUE(can_edit(run(), 0, scores));
  edit_cell(commands_, run(), 0, scores, 0.5f, "");
  carry_out();
  EXPECT_FLOAT_EQ(run().trace(0).cell(scores.site, {0, 2, 1}), 0.5f);
  EXPECT_EQ(session_.history().undo_sentence(), "Set blocks.0.attn.scores[head=0, query=2, key=1] to 0.5");
}

TEST_F(CellEditTest, AnInputNumberChangesOneSequenceOnly) {
  const Cell input = cell("embed", {1, 2});
  const float other = run().trace(0).cell(input.site, {1, 2});
  edit_cell(commands_, run(), 1, input, -2.f, "");
  carry_out();
  EXPECT_FLOAT_EQ(run().trace(1).cell(input.site, {1, 2}), -2.f);
  EXPECT_FLOAT_EQ(run().trace(0).cell(input.site, {1, 2}), other);
}

TEST_F(CellEditTest, AWeightIsNamedWithItsAxes) {
  const std::string name = "blocks.0.attn.q.weight";
  ASSERT_TRUE(can_edit_weight(run(), name));
  edit_weight(commands_, run(), name, {1, 0}, 0.5f, "drag");
  edit_weight(commands_, run(), name, {1, 0}, 0.75f, "drag");
  carry_out();
  EXPECT_FLOAT_EQ(run().trace(0).weights().get(name).at(1, 0), 0.75f);
  EXPECT_EQ(session_.history().undo_sentence(), "Set blocks.0.attn.q.weight[in=1, out=0] to 0.75");
  session_.undo();
  EXPECT_FALSE(session_.history().can_undo()) << "one gesture, one undo point";
}

TEST_F(CellEditTest, AMaskCellIsSwitchedBothWays) {
  const Site mask = *parse_site("blocks.0.attn.mask");
  ASSERT_EQ(run().trace(0).cell(mask, {1, 3}), 0.f);
  toggle_mask_cell(commands_, run(), 0, site_of(Slot::mask, 0), 1, 3);
  carry_out();
  EXPECT_EQ(run().trace(0).cell(mask, {1, 3}), 1.f);
  EXPECT_EQ(session_.history().undo_sentence(), "Let query 1 look at key 3");
  toggle_mask_cell(commands_, run(), 0, site_of(Slot::mask, 0), 1, 3);
  carry_out();
  EXPECT_EQ(run().trace(0).cell(mask, {1, 3}), 0.f);
}

TEST_F(CellEditTest, EveryMaskOfAnEncoderDecoderIsSwitched) {
  session_.open(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/marian");
  session_.wait();
  ASSERT_TRUE(session_.edit("ids", "", [](Document& document) -> Status {
    TRY_OK(set_text(document, 0, "3 17 5", Stack::enc));
    return set_text(document, 0, "4 8");
  }));
  session_.wait();
  for (const char* name : {"enc.blocks.0.attn.mask", "dec.blocks.1.attn.mask", "dec.blocks.0.cross.mask"}) {
    const Site mask = *parse_site(name);
    ASSERT_EQ(run().trace(0).cell(mask, {1, 0}), 1.f) << name;
    EXPECT_EQ(edit_meaning(run(), mask), CellEdit::mask);
    toggle_mask_cell(commands_, run(), 0, mask, 1, 0);
    carry_out();
    EXPECT_EQ(run().trace(0).cell(mask, {1, 0}), 0.f) << name;
    edit_cell(commands_, run(), 0, cell(name, {1, 0}), 1.f, "");
    carry_out();
    EXPECT_EQ(run().trace(0).cell(mask, {1, 0}), 1.f) << name;
    EXPECT_TRUE(session_.document().edits.empty());
  }
}

TEST_F(CellEditTest, RefusesWhatIsNotThere) {
  EXPECT_FALSE(can_edit(run(), 0, cell("blocks.0.attn.scores", {0, 2, 99})));
  EXPECT_FALSE(can_edit(run(), 0, {*parse_site("blocks.0.attn.scores"), {{"head", 0}}}))
      << "coordinates are missing";
  EXPECT_FALSE(can_edit(run(), 0, {*parse_site("probs"), {{"pos", 0}, {"vocab", 0}}}));
  EXPECT_FALSE(can_edit_weight(run(), "blocks.7.attn.q.weight"));
  edit_cell(commands_, run(), 0, cell("blocks.0.attn.scores", {0, 2, 99}), 1.f, "");
  EXPECT_TRUE(commands_.empty());
}

TEST(ParseNumber, ReadsWhatPeopleType) {
  EXPECT_FLOAT_EQ(*parse_number("0.5"), 0.5f);
  EXPECT_FLOAT_EQ(*parse_number("−3"), -3.f);
  EXPECT_FLOAT_EQ(*parse_number("1/4"), 0.25f);
  EXPECT_FLOAT_EQ(*parse_number(" 1e-3 "), 0.001f);
  EXPECT_FLOAT_EQ(*parse_number("2^-3"), 0.125f);
  EXPECT_FLOAT_EQ(*parse_number("+1.5k"), 1500.f);
  for (const char* text :
       {"", "abc", "0x10", "1e300", "1/0", "1,5", "nan", "inf", "1/", "2 3", "1e39", "-4e38", "3e38/1e-9"})
    EXPECT_FALSE(parse_number(text)) << text;
}

}  // namespace
}  // namespace attnscope
