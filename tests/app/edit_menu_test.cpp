// "Edit this place" with the mouse: a right click on a head, a row, a number, a weight, a box of the map;
// what the document then holds and what the run gives; restore, undo, refusals in the words of the command
// line. And the list of edits beside it: typed in, dragged, gone to; parts of the model exchanged.
#include "app/widgets/edit_menu.h"

#include <algorithm>

#include "app/panels/inspector/inspector_parts.h"
#include "app/widgets/edit_words.h"
#include "core/io/writers.h"
#include "core/session/fingerprint.h"
#include "core/trace/editable.h"
#include "tests/app/ui_driver.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

class EditMenuTest : public testing::FrameTest {
 protected:
  void open_at(const std::string& view, const std::string& step = {}) {
    open_default();
    workspace().view = view;
    if (!step.empty()) go_to_site(workspace(), run(), *parse_site(step));
    frames(3);
  }
  void right_click(const std::string& item) { click(item, 1); }
  // A cell of a matrix on screen.
  void right_click_cell(const std::string& matrix, std::int64_t row, std::int64_t col) {
    click_in(matrix, row, col, 1);
  }
  void act(const std::string& item) {
    click(item);
    settle();
  }
  std::string edit(std::size_t at) { return to_text(*document().edits.at(at)); }
  float most(const std::string& step, std::int64_t head) {
    const Record& record = *run().trace(0).find(*parse_site(step));
    const Tensor values = run().trace(0).slice(record.site, head, {0, record.shape[1]}, {0, record.shape[2]});
    float out = 0;
    for (const float value : values.values()) out = std::max(out, std::abs(value));
    return out;
  }
};

TEST_F(EditMenuTest, WhyAnEditIsRefusedStandsOnTheScreen) {
  open_at("attention");
  ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  settle();
  right_click("head_0_1");
  click("edit_direction");
  type("pos:99-0");
  act("edit_menu.direction.add");
  frames(3);
  ASSERT_TRUE(shows("edit_refused"));
  EXPECT_LE(noted_items().at("edit_refused").p1.y, 720.f);
}

TEST_F(EditMenuTest, APlaceTakesTheNumbersOfAOrADirection) {
  open_at("attention");
  right_click("head_0_1");
  ASSERT_TRUE(shows("edit_menu.from_a"));
  act("edit_menu.from_a");
  EXPECT_TRUE(document().edits.empty()) << "nothing is pinned";
  state().session.pin();
  const float before = most("blocks.0.attn.z", 1);
  act("edit_menu.zero");
  EXPECT_EQ(most("blocks.0.attn.z", 1), 0.f);
  right_click("head_0_1");
  act("edit_menu.from_a");
  EXPECT_EQ(edit(document().edits.size() - 1), "blocks.0.attn.z[head=1]=@run:A");
  EXPECT_EQ(most("blocks.0.attn.z", 1), before);
  right_click("head_0_1");
  click("edit_direction");
  type("pos:1-0");
  act("edit_menu.direction.add");
  EXPECT_EQ(edit(document().edits.size() - 1), "blocks.0.attn.z[head=1]+=@dir:pos:1-0");
  EXPECT_EQ(edit_words(*document().edits.back()).str(), "blocks.0.attn.z[head=1] + direction pos:1-0");
}

TEST_F(EditMenuTest, WhatIsMissingToAIsAdded) {
  open_at("attention");
  state().session.pin();
  const float before = most("blocks.0.attn.z", 1);
  right_click("head_0_1");
  act("edit_menu.zero");
  ASSERT_EQ(most("blocks.0.attn.z", 1), 0.f);
  right_click("head_0_1");
  act("edit_menu.direction.run");
  EXPECT_EQ(edit_words(*document().edits.back()).str(), "blocks.0.attn.z[head=1] + (run A − this run)");
  EXPECT_EQ(most("blocks.0.attn.z", 1), before);
}

TEST_F(EditMenuTest, ALogitIsEditedWhereWordsAreListed) {
  if (!open_shipped_or_skip("storyteller")) return;
  workspace().view = "output";
  settle();
  right_click("next_1");
  ASSERT_TRUE(shows("measure_edit"));
  click("measure_edit");
  frames(2);
  ASSERT_TRUE(shows("edit_menu.zero"));
  act("edit_menu.zero");
  ASSERT_EQ(document().edits.size(), 1u);
  EXPECT_EQ(edit(0).rfind("logits[pos=", 0), 0u) << edit(0);
}

TEST_F(EditMenuTest, AHeadIsZeroedRestoredAndUndone) {
  open_at("attention");
  const float before = most("blocks.0.attn.z", 1);
  ASSERT_GT(before, 0.f);
  right_click("head_0_1");
  ASSERT_TRUE(shows("edit_place:blocks.0.attn.z[head=1]"));
  act("edit_menu.zero");
  ASSERT_EQ(document().edits.size(), 1u);
  EXPECT_EQ(edit(0), "blocks.0.attn.z[head=1]=0");
  EXPECT_EQ(most("blocks.0.attn.z", 1), 0.f);
  EXPECT_GT(most("blocks.0.attn.z", 0), 0.f) << "the other head stays";
  EXPECT_EQ(session_->history().undo_sentence(), "Zero blocks.0.attn.z[head=1]");
  right_click("head_0_1");
  act("edit_menu.restore");
  EXPECT_TRUE(document().edits.empty());
  EXPECT_FLOAT_EQ(most("blocks.0.attn.z", 1), before);
  session_->undo();
  settle();
  EXPECT_EQ(edit(0), "blocks.0.attn.z[head=1]=0");
  session_->undo();
  settle();
  EXPECT_FLOAT_EQ(most("blocks.0.attn.z", 1), before);
}

TEST_F(EditMenuTest, ACellOffersItsRowItsColumnItsHeadAndWhatTheHeadHandsOn) {
  open_at("attention", "blocks.0.attn.scores");
  workspace().cursor.head = 1;
  frames(3);
  right_click_cell("matrix.attention.plane", 2, 1);
  for (const char* place : {"[head=1,query=2,key=1]", "[head=1,query=2]", "[head=1,key=1]", "[head=1]",
                            "[query=2]", "[key=1]", ""})
    EXPECT_TRUE(shows(std::string("edit_place:blocks.0.attn.scores") + place)) << place;
  EXPECT_TRUE(shows("edit_place:blocks.0.attn.z[head=1]"));
  click("edit_place:blocks.0.attn.scores[head=1,query=2]");
  act("edit_menu.mean");
  EXPECT_EQ(edit(0), "blocks.0.attn.scores[head=1,query=2]=mean");
}

TEST_F(EditMenuTest, ARowOfTheStepsViewIsFrozenToAnotherPosition) {
  open_at("steps", "blocks.0.attn.q");
  right_click_cell("matrix.steps/result", 2, 0);
  ASSERT_TRUE(shows("edit_place:blocks.0.attn.q[pos=2]"));
  click("edit_place:blocks.0.attn.q[pos=2]");
  act("edit_menu.freeze");
  ASSERT_EQ(document().edits.size(), 1u);
  EXPECT_EQ(edit(0), "blocks.0.attn.q[pos=2]=@pos:0");
  const Site q = *parse_site("blocks.0.attn.q");
  EXPECT_EQ(run().trace(0).cell(q, {2, 0}), run().trace(0).cell(q, {0, 0}));
}

TEST_F(EditMenuTest, DraggingTheScaleIsOneUndoStepAndAtOneTheEditIsGone) {
  open_at("attention");
  right_click("head_0_1");
  const ItemRect slider = noted_items().at("edit_scale");
  const float y = (slider.p0.y + slider.p1.y) / 2, wide = slider.p1.x - slider.p0.x;
  const auto drag = [&](std::initializer_list<float> shares) {
    bool down = false;
    for (const float share : shares) {
      point_at(slider.p0.x + wide * share, y);
      frames();
      if (!std::exchange(down, true)) compat::feed_mouse_button(ImGui::GetIO(), 0, true);
      frames();
    }
    settle();
  };
  drag({0.9f, 0.7f, 0.25f});
  ASSERT_EQ(document().edits.size(), 1u) << "while the button is down";
  const NumberEdit& scaled = *document().edits.front()->number();
  EXPECT_EQ(scaled.op, EditOp::scale);
  EXPECT_NEAR(std::get<float>(scaled.value), 0.5f, 0.1f);
  compat::feed_mouse_button(ImGui::GetIO(), 0, false);
  frames(3);
  session_->undo();
  EXPECT_TRUE(document().edits.empty()) << "one gesture, one undo point";
  session_->redo();
  drag({0.25f, 0.5f});
  compat::feed_mouse_button(ImGui::GetIO(), 0, false);
  frames(3);
  EXPECT_TRUE(document().edits.empty()) << "times 1 is no edit";
}

TEST_F(EditMenuTest, AWeightHasRowsAndColumnsAndNoPositions) {
  open_at("steps", "blocks.0.attn.q");
  right_click_cell("matrix.steps/top", 1, 0);
  ASSERT_TRUE(shows("edit_place:blocks.0.attn.q.weight[out=0]"));
  EXPECT_FALSE(shows("edit_menu.freeze"));
  click("edit_place:blocks.0.attn.q.weight[out=0]");
  click("edit_number");
  type("0.5");
  act("edit_menu.set");
  ASSERT_EQ(document().edits.size(), 1u);
  EXPECT_EQ(edit(0), "blocks.0.attn.q.weight[out=0]=0.5");
  EXPECT_EQ(run().trace(0).weights().get("blocks.0.attn.q.weight").at(2, 0), 0.5f);
}

TEST_F(EditMenuTest, WhatCannotBeEditedSaysWhyInTheWordsOfTheCommandLine) {
  open_model("gpt2");
  workspace().view = "steps";
  go_to_site(workspace(), run(), *parse_site("probs"));
  settle();
  const Status why = check_target(run().trace(0), *parse_target("probs"));
  ASSERT_FALSE(why);
  RunOptions options;
  options.edits = {*parse_edit("probs=0")};
  const auto refused = document().model->run(document().sequences.front().input, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text(), why.error().text());
  right_click_cell("matrix.steps/result", 0, 0);
  EXPECT_TRUE(shows("edit_menu_refused"));
  act("edit_menu.zero");
  EXPECT_TRUE(document().edits.empty());
}

TEST_F(EditMenuTest, TheMapOffersStepsAndBlocks) {
  open_model("gpt2");
  workspace().edit_at = Place{Cell{*parse_site("blocks.1.resid_pre"), {}}, {}, {}};
  frames(3);
  EXPECT_TRUE(shows("edit_place:blocks.1.attn.out"));
  EXPECT_TRUE(shows("edit_place:blocks.1.mlp.out"));
  click("edit_place:blocks.1.mlp.out");
  act("edit_menu.zero");
  EXPECT_EQ(edit(0), "blocks.1.mlp.out=0");
  const Site pre = *parse_site("blocks.1.resid_mid"), post = *parse_site("blocks.1.resid_post");
  EXPECT_EQ(run().trace(0).cell(pre, {0, 0}), run().trace(0).cell(post, {0, 0}));
}

TEST_F(EditMenuTest, ALensCellIsAPositionOfTheStream) {
  open_model("gpt2");
  workspace().view = "residual";
  settle();
  right_click_cell("matrix.residual_lens", 1, 0);
  ASSERT_TRUE(shows("edit_menu.zero"));
  act("edit_menu.zero");
  ASSERT_EQ(document().edits.size(), 1u);
  EXPECT_NE(edit(0).find("[pos=0]=0"), std::string::npos) << edit(0);
}

TEST_F(EditMenuTest, ABarOfTheStreamIsAPartAtAPosition) {
  open_model("gpt2");
  workspace().view = "residual";
  workspace().cursor.query = 1;
  settle();
  const ItemRect bars = noted_items().at("residual_parts");
  point_at(bars.p0.x + 4, bars.p1.y - 20);
  frames();
  for (const bool down : {true, false}) {
    compat::feed_mouse_button(ImGui::GetIO(), 1, down);
    frames();
  }
  EXPECT_TRUE(shows("edit_place:embed[pos=1]"));
}

// Every place of every kind of model has its words, or its reason.
TEST_F(EditMenuTest, TheMenuOpensAtEveryStepOfEveryKindOfModel) {
  for (const char* name : {"llama", "marian", "paligemma_prefix"}) {
    open_model(name);
    for (const Record& record : run().trace(0).records()) {
      const Cell cell =
          cell_at(run().trace(0), record.site, std::vector<std::int64_t>(record.shape.size(), 0));
      workspace().edit_at = Place{cell, {}, {}};
      frames();
      const std::string item = "edit_place:" + to_text(target_of(cell));
      const bool input = record.site.slot == Slot::embed && !run().trace(0).input.vectors.empty();
      EXPECT_TRUE(shows(input ? "edit_place:input[pos=0,d_model=0]" : item)) << item;
      const Status can = check_target(run().trace(0), target_of(cell));
      EXPECT_EQ(shows("edit_menu_refused"), !can) << item;
    }
  }
  EXPECT_TRUE(missing_keys().empty()) << missing_keys().front();
}

class EditListTest : public EditMenuTest {
 protected:
  void add(const std::string& text) {
    click("new_edit");
    type(text);
    key(compat::Key::enter);
    settle();
  }
};

TEST_F(EditListTest, AnEditIsTypedAsTheCommandLineTakesIt) {
  open_at("steps");
  add("blocks.0.attn.z[head=1]*=0.5");
  ASSERT_EQ(document().edits.size(), 1u);
  EXPECT_EQ(edit(0), "blocks.0.attn.z[head=1]*=0.5");
  add("nonsense");
  EXPECT_EQ(document().edits.size(), 1u);
  const auto& cache = *std::static_pointer_cast<InspectorCache>(workspace().inspector.cache);
  ASSERT_TRUE(cache.new_edit_error);
  EXPECT_EQ(cache.new_edit_error->text(), parse_edit("nonsense").error().text());
  const std::string english = cache.new_edit_error->text();
  state().set_language("ko");  // what was refused is said in the language of the moment
  frames(1);
  EXPECT_NE(cache.new_edit_error->text(), english);
  state().set_language("en");
  EXPECT_EQ(cache.new_edit, "nonsense") << "what was typed stays";
}

TEST_F(EditListTest, NumbersOfAnotherModelAreSaidAsOnTheCommandLine) {
  if (!open_shipped_or_skip("storyteller")) return;
  const testing::TempFolder folder;
  const Shape width({{Axis::none, document().model->config().d_model}});
  std::vector<float> half(static_cast<std::size_t>(width[0].second), 0.5f);
  const std::vector<NamedTensor> vector{{"blocks.0.resid_post", Tensor::from(std::move(half), width)}};
  for (const std::string& print : {std::string("0000000000000000"), model_fingerprint(*document().opened)}) {
    const std::string run = R"({"model": {"fingerprint": ")" + print + R"(", "title": "Elsewhere"}})";
    ASSERT_TRUE(write_safetensors(folder / "v.safetensors", vector, {}, {{"run", run}}));
    add("blocks.0.resid_post+=@" + (folder / "v.safetensors"));
    const auto& cache = *std::static_pointer_cast<InspectorCache>(workspace().inspector.cache);
    ASSERT_EQ(document().edits.size(), 1u) << (cache.new_edit_error ? cache.new_edit_error->text() : "");
    EXPECT_EQ(shows("edit_of_another_model"), print.starts_with("0000")) << print;
    key(compat::Key::escape);
    click("remove_edit0");
    settle();
    ASSERT_TRUE(document().edits.empty());
    EXPECT_FALSE(shows("edit_of_another_model")) << "it is gone with its edit";
  }
}

TEST_F(EditListTest, WhatTheModelLacksIsRefusedBeforeItRuns) {
  open_at("steps");
  for (const char* text : {"blocks.7.attn.z=0", "blocks.0.attn.z[head=9]=0", "blocks.0.attn.z[neuron=1]=0",
                           "blocks.0.attn.z=@pos:99", "blocks.0.mlp.activation=relu", "nothing.weight=0"}) {
    add(text);
    const auto& cache = *std::static_pointer_cast<InspectorCache>(workspace().inspector.cache);
    EXPECT_TRUE(cache.new_edit_error) << text;
    EXPECT_TRUE(document().edits.empty()) << text;
    click("new_edit");
    for (int i = 0; i < 40; ++i) key(compat::Key::backspace);
  }
}

TEST_F(EditListTest, TheOrderIsDraggedAndALineIsGoneTo) {
  open_at("attention");
  add("blocks.0.attn.z[head=1]*=0.5");
  add("blocks.0.attn.q[pos=2]=1");
  const ItemRect first = noted_items().at("goto_edit0"), second = noted_items().at("goto_edit1");
  const auto move_to = [&](const ItemRect& r, float x) {
    point_at(r.p0.x + x, (r.p0.y + r.p1.y) / 2);
    frames();
  };
  move_to(first, 10);
  compat::feed_mouse_button(ImGui::GetIO(), 0, true);
  frames();
  move_to(first, 30);
  move_to(second, 30);
  compat::feed_mouse_button(ImGui::GetIO(), 0, false);
  frames();
  settle();
  EXPECT_EQ(edit(0), "blocks.0.attn.q[pos=2]=1");
  EXPECT_EQ(edit(1), "blocks.0.attn.z[head=1]*=0.5");
  click("goto_edit0");
  EXPECT_EQ(to_text(workspace().cursor.step), "blocks.0.attn.q");
  EXPECT_EQ(workspace().cursor.query, 2);
  act("on_edit0");
  EXPECT_FALSE(document().edits[0]->enabled);
  act("remove_edit0");
  EXPECT_EQ(document().edits.size(), 1u);
}

TEST_F(EditListTest, PartsOfTheModelAreExchangedAndTakenBack) {
  open_model("gpt2");
  click("exchange");
  act("blocks.*.mlp.skip=off");
  ASSERT_EQ(document().edits.size(), 1u);
  EXPECT_EQ(edit(0), "blocks.*.mlp.skip=off");
  EXPECT_FALSE(run().trace(0).config().blocks[0].mlp_skip);
  click("exchange_block_0");
  act("blocks.0.order=post");
  EXPECT_EQ(edit(1), "blocks.0.order=post");
  act("blocks.0.mlp.activation=swiglu");
  EXPECT_EQ(document().edits.size(), 2u) << "this MLP has no gate";
  act("blocks.0.order=pre");
  EXPECT_EQ(document().edits.size(), 1u) << "the model's own order takes the exchange back";
  act("blocks.0.order=pre");
  EXPECT_EQ(document().edits.size(), 1u) << "which it is already";
  click("exchange_every");
  act("blocks.*.mlp.skip=off");
  EXPECT_TRUE(document().edits.empty());
}

}  // namespace
}  // namespace attnscope
