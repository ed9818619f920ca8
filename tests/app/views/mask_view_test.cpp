// The mask view without OpenGL: it draws every kind of model, a click switches a cell through Commands, a
// drag is one undo point, and long inputs are shown but not edited.
#include <nlohmann/json.hpp>

#include "app/views/choices.h"
#include "app/views/mask_board.h"
#include "core/base/words.h"
#include "core/io/writers.h"
#include "core/session/mask_edits.h"
#include "tests/app/views/attention_fixture.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

class MaskViewTest : public testing::AttentionFixture {
 protected:
  // Where clicks have fixed places: the page with the mask alone on the left.
  MaskViewTest() { choose_in(*view_, nlohmann::json{{"page", "pattern"}}); }
  std::unique_ptr<View> view_ = make_mask_view();
  std::vector<Mask::Cell> cells() const { return switched_cells(session_.document(), AttentionKind::main); }
};

TEST_F(MaskViewTest, DrawsScenesAndModels) {
  open_scene("nine_steps");
  show(*view_);
  for (const char* name : {"gpt2", "llama"}) {
    open_model(name, 12);
    workspace_.show_difference = true;
    show(*view_);
    show(*view_, ImVec2(200, 120));
  }
}

TEST_F(MaskViewTest, AClickSwitchesOneCellAndAnotherTakesItBack) {
  open_scene("nine_steps");
  show(*view_);
  const ImVec2 corner(130, 250);
  click(*view_, corner);
  ASSERT_EQ(cells().size(), 1u);
  EXPECT_FALSE(cells().empty());
  EXPECT_EQ(workspace_.cursor.query, cells()[0].query);
  const Mask::Cell cell = cells()[0];
  EXPECT_EQ(session_.result()->trace(0).cell(site_of(Slot::mask, 0), {cell.query, cell.key}),
            cell.allowed ? 1.f : 0.f);
  session_.undo();
  session_.wait();
  EXPECT_TRUE(cells().empty());
  click(*view_, corner);
  click(*view_, corner);
  EXPECT_TRUE(cells().empty());
}

TEST_F(MaskViewTest, ADragIsOneUndoPoint) {
  open_scene("nine_steps");
  show(*view_);
  point_at(130, 250);
  show(*view_);
  press(true);
  show(*view_);
  for (float x = 150; x < 430; x += 20) {
    point_at(x, 250);
    show(*view_);
  }
  press(false);
  show(*view_);
  EXPECT_GE(cells().size(), 1u);
  const bool allowed = cells()[0].allowed;
  for (const Mask::Cell& cell : cells()) EXPECT_EQ(cell.allowed, allowed);
  session_.undo();
  EXPECT_TRUE(cells().empty());
}

TEST_F(MaskViewTest, LongInputsAreShownButNotEdited) {
  open_long(600);
  show(*view_);
  click(*view_, ImVec2(200, 300));
  EXPECT_TRUE(cells().empty());
}

TEST_F(MaskViewTest, RowsOfPaddingAreOnTheBoardAndBesideItWhatTheRunHas) {
  open_model("gpt2", 6);
  ASSERT_TRUE(session_.edit("pad", "", [](Document& document) {
    return set_padding(document, {true, PadSide::left, 9});
  }));
  session_.wait();
  show(*view_);
  show(*view_);
  const Tensor board = painter_.shown("mask.board"), pattern = painter_.shown("mask.pattern_now");
  ASSERT_EQ(board.sizes(), (std::vector<std::int64_t>{9, 9}));
  ASSERT_EQ(pattern.sizes(), board.sizes());
  for (std::int64_t query = 0; query < 9; ++query)
    for (std::int64_t key = 0; key < 9; ++key) {
      EXPECT_EQ(is_masked(board.at(query, key)), is_masked(pattern.at(query, key))) << query << "," << key;
      EXPECT_EQ(is_masked(board.at(query, key)), key < 3 || key > query);
      EXPECT_EQ(is_masked(board.at(query, key)),
                session_.result()->trace(0).cell(site_of(Slot::mask, 0), {query, key}) == 0);
    }
}

TEST_F(MaskViewTest, OfAnotherModelTheBoardIsThatModelsMask) {
  open_model("gpt2", 6);
  show(*view_);
  EXPECT_TRUE(is_masked(painter_.shown("mask.board").at(0, 5)));
  open_model("bert", 6);
  show(*view_);
  EXPECT_FALSE(is_masked(painter_.shown("mask.board").at(0, 5))) << "an encoder looks both ways";
}

// What is masked on the board of what is open.
class MaskBoardTest : public MaskViewTest {
 protected:
  std::int64_t masked() {
    frame([&] {
      const auto run = session_.result();
      const ViewContext context{session_, *run, nullptr, workspace_, commands_, painter_};
      const AttentionScene scene = scene_of_cursor(context);
      rule_ = MaskBoard::rule_text(context, scene);
      MatrixWindow window;
      board_.draw(context, scene, window, -1, -1, ImVec2(10, 10), ImVec2(400, 400));
    });
    return board_.summary().masked;
  }
  void open_recording(const std::vector<NamedTensor>& tensors) {
    const std::string path = folder_ / "run.npz";
    ASSERT_TRUE(write_npz(path, tensors));
    session_.open(path);
    session_.wait();
    ASSERT_TRUE(session_.result()->recorded());
  }

  testing::TempFolder folder_;
  MaskBoard board_;
  std::string rule_;
};

TEST_F(MaskBoardTest, AnotherModelOfTheSameSizesHasItsOwnMask) {
  open_model("gpt2", 12);
  EXPECT_EQ(masked(), 66);
  open_model("bert", 12);
  EXPECT_EQ(masked(), 0);
}

// A recorded mask is shown as it is; without one, what scores or weights tell, and the rule says which.
TEST_F(MaskBoardTest, ARecordingShowsTheMaskThatRan) {
  open_model("gpt2", 4);
  const auto trace = session_.result()->traces.front();
  const Tensor pattern = *trace->tensor(site_of(Slot::pattern, 0)),
               scores = *trace->tensor(site_of(Slot::masked, 0));
  std::vector<float> odd(16, 1.f);
  odd[4] = 0;
  const Tensor mask = Tensor::from(odd, {{Axis::query, 4}, {Axis::key, 4}});
  open_recording({{"blocks.0.attn.pattern", pattern}, {"blocks.0.attn.mask", mask}});
  EXPECT_EQ(masked(), 1);
  EXPECT_EQ(rule_, tr("mask.rule.recorded"));
  open_recording({{"blocks.0.attn.pattern", pattern}, {"blocks.0.attn.masked", scores}});
  EXPECT_EQ(masked(), 6);
  EXPECT_EQ(rule_, tr("mask.rule.recorded_scores"));
  open_recording({{"blocks.0.attn.pattern", pattern}});
  EXPECT_EQ(masked(), 6);
  EXPECT_EQ(rule_, tr("mask.rule.recorded_weights"));
  open_recording({{"blocks.0.attn.pattern",
                   Tensor::filled({{Axis::head, 1}, {Axis::query, 4}, {Axis::key, 4}}, 0.25f)}});
  EXPECT_EQ(masked(), 0);
}

TEST_F(MaskViewTest, ARowThatSeesNothingIsDrawn) {
  open_scene("nine_steps");
  ASSERT_TRUE(session_.edit("row", "", [](Document& document) { return toggle_mask_row(document, 2, 4); }));
  session_.wait();
  show(*view_);
  EXPECT_EQ(mask_summary(mask_of(session_.document(), 0), 4, 4).fully_masked, std::vector<std::int64_t>{2});
}

}  // namespace
}  // namespace attnscope
