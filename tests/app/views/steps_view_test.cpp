// The steps view without a screen: every step of real runs draws, sums end in the recorded number, shapes and
// cells map back and forth, editing arrives.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "app/figure/canvas.h"
#include "app/views/steps_edit.h"
#include "app/views/steps_figure.h"
#include "app/views/steps_words.h"
#include "app/views/view.h"
#include "app/widgets/navigation.h"
#include "app/widgets/places.h"
#include "core/base/assets.h"
#include "core/base/words.h"
#include "tests/app/widgets/imgui_fixture.h"

namespace attnscope {

std::unique_ptr<View> make_steps_view();

namespace {

class StepsViewTest : public testing::ImguiFixture {
 protected:
  void open_scene() {
    session_.open_scene(std::string(asset("assets/scenes/nine_steps.json")), "scene:nine_steps");
    take();
  }
  void open_model(const std::string& name) {
    session_.open(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/" + name);
    take();
  }
  void take() {
    session_.wait();
    run_ = session_.result();
    ASSERT_TRUE(run_) << (session_.error() ? session_.error()->text() : "");
  }
  void draw(int frames = 2, ImVec2 size = ImVec2(906, 640)) {
    for (int i = 0; i < frames; ++i) {
      frame([&] { view_->draw({session_, *run_, before_.get(), workspace_, commands_, painter_}); }, size);
      commands_.carry_out(session_);
      session_.poll();
    }
  }
  Site site(const char* text) { return *parse_site(text); }
  Figure figure(const Site& at, int head = 0) {
    FigureRequest wish{0, head, 1, at, false, {4, 2, 9}};
    return build_figure(*run_, wish);
  }
  Session session_;
  Workspace workspace_;
  Commands commands_;
  std::unique_ptr<View> view_ = make_steps_view();
  std::shared_ptr<const RunResult> run_, before_;
};

TEST_F(StepsViewTest, ShapesStandWithTheBatchInFront) {
  open_scene();
  EXPECT_EQ(shapes_line(*run_, figure(site("blocks.0.attn.scores"))),
            "(2, 2, 4, 1) @ (2, 2, 1, 4) → (2, 2, 4, 4)");
  EXPECT_EQ(shapes_line(*run_, figure(site("blocks.0.attn.q"))), "(2, 4, 3) @ (3, 2) → (2, 4, 2)");
  EXPECT_EQ(shapes_line(*run_, figure(site("blocks.0.attn.view_q"))), "(2, 4, 2) → (2, 4, 2, 1)");
  EXPECT_EQ(shapes_line(*run_, figure(site("blocks.0.attn.split_q"))), "(2, 4, 2, 1) → (2, 2, 4, 1)");
  EXPECT_EQ(shapes_line(*run_, figure(site("blocks.0.attn.z"))),
            "(2, 2, 4, 4) @ (2, 2, 4, 1) → (2, 2, 4, 1)");
}

TEST_F(StepsViewTest, ShapesAreThoseOfTheSequenceThatIsLookedAt) {
  open_model("gpt2");
  ASSERT_TRUE(session_.edit(Text::of("input.edit.no_text"), {}, [](Document& changed) -> Status {
    TRY_OK(add_sequence(changed, 0));
    return set_ids(changed, 1, {1, 2, 3, 4, 5, 6, 7}, {});
  }));
  session_.wait();
  run_ = session_.result();
  ASSERT_EQ(run_->traces.size(), 2u);
  const std::string short_one = shapes_line(*run_, figure(site("blocks.0.attn.scores")), 0),
                    long_one = shapes_line(*run_, figure(site("blocks.0.attn.scores")), 1);
  EXPECT_NE(short_one, long_one);
  EXPECT_NE(long_one.find("7, 7)"), std::string::npos) << long_one;
  EXPECT_EQ(step_shape(*run_, site("blocks.0.attn.scores"), 1).find("7, 7)"),
            step_shape(*run_, site("blocks.0.attn.scores"), 1).size() - 5);
}

TEST_F(StepsViewTest, TorchLinesCarryTheNumbersOfTheRun) {
  open_scene();
  EXPECT_EQ(torch_line(*run_, site("blocks.0.attn.view_q")), "q = q.view(b, t, 2, 1)  # (2, 4, 2, 1)");
  open_model("llama");
  for (const TimelineStep& step : run_->steps)
    for (const Site& at : step.sites)
      EXPECT_EQ(torch_line(*run_, at).find('{'), std::string::npos) << to_text(at);
  EXPECT_EQ(torch_line(*run_, site("blocks.0.mlp.act")).substr(0, 13), "a = F.silu(g)");
  EXPECT_EQ(text_of(formula_pieces(run_->trace(0), site("blocks.0.ln1.out"))), "y = x / σ · γ")
      << "RMSNorm subtracts nothing";
}

TEST_F(StepsViewTest, EveryStepDrawsAndItsSumsEndInTheRecordedNumber) {
  for (const char* model : {"", "gpt2", "llama"}) {
    if (*model)
      open_model(model);
    else
      open_scene();
    for (const TimelineStep& step : run_->steps) {
      for (const Site& at : step.sites) {
        go_to_site(workspace_, *run_, at);
        const Record& record = *run_->trace(0).find(at);
        std::vector<std::int64_t> index;
        for (const std::int64_t size : record.shape) index.push_back(size - 1);
        workspace_.cursor.pinned = cell_at(run_->trace(0), at, index);
        draw(2, ImVec2(746, 470));
        const auto why = explain(run_->trace(0), at, index);
        ASSERT_TRUE(why) << to_text(at);
        const std::string text = text_of(spelled_out(*run_, 0, *why)), end = " = " + precise(why->recorded);
        EXPECT_TRUE(text.ends_with(end)) << to_text(at) << ": " << text;
        EXPECT_NEAR(why->result, why->recorded, 1e-3) << to_text(at);
      }
    }
  }
  for (const std::string& key : missing_keys())
    EXPECT_FALSE(key.starts_with("step.") || key.starts_with("steps.")) << key << " has no text";
}

TEST_F(StepsViewTest, ScoresAreSpelledOutAsOnTheBoard) {
  open_scene();
  const auto why = explain(run_->trace(0), site("blocks.0.attn.scores"), {0, 2, 1});
  ASSERT_TRUE(why);
  EXPECT_EQ(text_of(spelled_out(*run_, 0, *why)), "q₂ · k₁ = 0.1495 × 0.4243 = 0.0634");
}

TEST_F(StepsViewTest, CellsOfOperandsAreCellsOfTheRun) {
  for (const char* model : {"", "llama"}) {
    if (*model)
      open_model(model);
    else
      open_scene();
    const Trace& trace = run_->trace(0);
    for (const TimelineStep& step : run_->steps) {
      for (const Site& at : step.sites) {
        const Figure f = figure(at, 1);
        for (const Operand& operand : f.operands) {
          const std::int64_t row = operand.row.size - 1, col = operand.col.size - 1;
          const Tensor value = operand_values(trace, operand, {row, row + 1}, {col, col + 1});
          ASSERT_EQ(value.count(), 1) << to_text(at) << " " << operand.id;
          if (operand.part) continue;
          const auto index = source_index(trace, operand, row, col);
          const float held = operand.is_weight() ? trace.weights().get(operand.weight).at(index)
                                                 : trace.cell(operand.site, index);
          if (std::isfinite(held)) {
            EXPECT_NEAR(value.at(0, 0), held, 1e-5) << to_text(at) << " " << operand.id;
          }
          const auto spot =
              spot_of(trace, operand, {operand.weight, operand.site, operand.is_weight(), index, 0});
          ASSERT_TRUE(spot) << to_text(at) << " " << operand.id;
          EXPECT_EQ(spot->row, row);
          EXPECT_EQ(spot->col, col);
        }
      }
    }
  }
}

TEST_F(StepsViewTest, NumbersWithoutANameFollowTheHead) {
  open_model("gpt2");
  go_to_site(workspace_, *run_, site("blocks.0.attn.pattern"));
  const auto shown = [&] {
    draw();
    DisplayList list;
    frame(
        [&] {
          const DrawRecording recording(&list);
          view_->draw({session_, *run_, before_.get(), workspace_, commands_, painter_});
        },
        ImVec2(906, 640));
    std::vector<std::vector<float>> out;
    for (const DrawItem& item : list.items())
      if (item.kind == DrawItem::Kind::cells) out.push_back(list.cells(item).values.values());
    return out;
  };
  workspace_.cursor.head = 0;
  (void)shown();
  workspace_.cursor.head = 1;
  const auto followed = shown();
  view_ = make_steps_view();
  ASSERT_GE(followed.size(), 5u) << "scores, row max, exp, row sum, pattern";
  EXPECT_EQ(followed, shown());
}

TEST_F(StepsViewTest, TheTitleOfAColumnStandsOffTheSlantedNamesBesideIt) {
  open_model("../../../assets/models/storyteller");
  ASSERT_TRUE(session_.edit("text", "", [](Document& document) {
    return set_text(document, 0, "The cat sat on the mat because it was tired. So the");
  }));
  take();
  go_to_site(workspace_, *run_, site("blocks.0.attn.pattern"));
  draw(3);
  DisplayList list;
  note_items(true);
  begin_items();
  frame(
      [&] {
        const DrawRecording recording(&list);
        view_->draw({session_, *run_, before_.get(), workspace_, commands_, painter_});
      },
      ImVec2(906, 640));
  note_items(false);
  bool slanted = false, told = false;
  for (const Operand& operand : figure(workspace_.cursor.step).operands) {
    const auto cells = noted_items().find("matrix.steps/" + operand.id);
    if (operand.col.key != "one" || cells == noted_items().end()) continue;
    for (const DrawItem& item : list.items()) {
      slanted |= item.kind == DrawItem::Kind::text && item.angle != 0;
      if (item.kind != DrawItem::Kind::text || list.text(item) != operand.title) continue;
      told = true;
      EXPECT_GE(item.p0.x, cells->second.p0.x - 1) << operand.title;
    }
  }
  EXPECT_TRUE(slanted);
  EXPECT_TRUE(told);
}

TEST_F(StepsViewTest, AnEditedInputReachesTheScores) {
  open_scene();
  workspace_.cursor.step = site("blocks.0.attn.q");
  const Figure f = figure(workspace_.cursor.step);
  const auto target = edit_target(*run_, 0, f, {0, 1, 2});
  ASSERT_TRUE(target);
  EXPECT_EQ(to_text(target->cell.site), "embed");
  const float old = run_->trace(0).cell(site("blocks.0.attn.scores"), {0, 1, 1});
  send_edit({session_, *run_, nullptr, workspace_, commands_, painter_}, *target, 3.f, "");
  commands_.carry_out(session_);
  before_ = run_;
  take();
  EXPECT_NE(run_->trace(0).cell(site("blocks.0.attn.scores"), {0, 1, 1}), old);
  workspace_.show_difference = true;
  draw();
}

TEST_F(StepsViewTest, NumbersThatAreNoneDraw) {
  open_scene();
  const Figure f = figure(site("blocks.0.attn.q"));
  const auto target = edit_target(*run_, 0, f, {0, 0, 0});
  send_edit({session_, *run_, nullptr, workspace_, commands_, painter_}, *target,
            std::numeric_limits<float>::quiet_NaN(), "");
  commands_.carry_out(session_);
  take();
  for (const TimelineStep& step : run_->steps) {
    go_to_site(workspace_, *run_, step.main);
    draw();
  }
}

TEST_F(StepsViewTest, OneTokenAndManyHeadsDraw) {
  for (const SceneSizes sizes : {SceneSizes{1, 1, 1, 1, 1, 1, true}, SceneSizes{1, 5, 8, 64, 1, 8, true},
                                 SceneSizes{1, 3, 8, 1, 128, 8, false}}) {
    open_scene();
    ASSERT_TRUE(session_.edit("sizes", "", [&](Document& document) {
      return resize_scene(document, sizes, 7);
    })) << (session_.error() ? session_.error()->text() : "");
    take();
    workspace_.cursor = {};
    workspace_.cursor.head = sizes.heads - 1;
    for (const TimelineStep& step : run_->steps) {
      go_to_site(workspace_, *run_, step.main);
      draw();
    }
  }
}

TEST_F(StepsViewTest, PointingAtAResultAndClickingPinsIt) {
  open_scene();
  workspace_.animate = false;
  go_to_site(workspace_, *run_, site("blocks.0.attn.scores"));
  draw(3);
  EXPECT_TRUE(click_until(
      ImVec2(60, 150), ImVec2(620, 520), [&] { draw(1); },
      [&] {
        workspace_.cursor.step = site("blocks.0.attn.scores");
        return workspace_.cursor.pinned && to_text(workspace_.cursor.pinned->site) == "blocks.0.attn.scores";
      }));
}

// The lines read as a program: what one line makes has the name by which the next ones take it.
TEST_F(StepsViewTest, TorchLinesTakeTheRowsThatTheModelsOrderGivesThem) {
  const auto line = [&](const char* name) {
    const std::string text = torch_line(*run_, site(name));
    return text.substr(0, text.find("  # "));
  };
  open_model("gpt2");  // norms before
  EXPECT_EQ(line("blocks.0.attn.q"), "q = W_query(y)");
  EXPECT_EQ(line("blocks.0.resid_post"), "x = x + m");
  open_model("bert");  // norms after
  EXPECT_EQ(line("blocks.0.attn.q"), "q = W_query(x)");
  EXPECT_EQ(line("blocks.0.ln1.out").substr(0, 4), "x = ");
  EXPECT_EQ(line("blocks.0.mlp.pre"), "h = fc1(x)");
  EXPECT_EQ(line("ln_head.scale").substr(0, 10), "scale = (a");
  open_model("gemma");  // a gate, and 1 + weight
  EXPECT_EQ(line("blocks.0.mlp.out"), "m = fc2(h)");
  EXPECT_EQ(line("ln_final.out"), "y = x / scale * (1 + weight)");
  open_model("marian");
  EXPECT_EQ(line("dec.blocks.0.cross.k"), "k = W_key(encoded)");
  open_model("vit");
  EXPECT_EQ(line("logits"), "logits = lm_head(y[:, :1])") << "the class token's row alone";
  open_model("paligemma_causal");
  EXPECT_EQ(line("embed"), "x = x") << "the image is in place";
  open_model("../../../assets/models/induction");  // attention alone
  EXPECT_EQ(line("blocks.0.resid_post"), "x = x");
  EXPECT_EQ(title_text(run_->trace(0), site("blocks.0.resid_post")), tr("steps.title.stream_out"));
}

TEST_F(StepsViewTest, TheMaskIsTheOneThatRan) {
  open_model("gpt2");
  const Site mask = site("blocks.0.attn.mask");
  const auto ask = [&](const char* text) {
    ASSERT_TRUE(session_.edit("mask", {}, [&](Document& document) { return set_mask_text(document, text); }));
    take();
  };
  ask("full");
  EXPECT_EQ(torch_line(*run_, mask).find("mask = torch.ones(t, t).bool()"), 0u);
  EXPECT_EQ(text_of(formula_pieces(run_->trace(0), mask)), "M = 1 where key is no padding");
  ask("causal & window(3)");
  EXPECT_EQ(torch_line(*run_, mask).find("mask = torch.ones(t, t).tril().triu(-2).bool()"), 0u);
  ASSERT_TRUE(session_.edit("cell", {}, [](Document& document) -> Status {
    set_mask_cell(document, 1, 3, true);
    return Done{};
  }));
  take();
  EXPECT_NE(torch_line(*run_, mask).find("; mask[1, 3] = True"), std::string::npos);
}

TEST_F(StepsViewTest, TheMasksLineAndFormulaKnowThePaddingOfTheRun) {
  open_model("gpt2");
  const Site mask = site("blocks.0.attn.mask");
  const auto tokens = std::to_string(run_->document.sequences.front().input.length());
  const auto length = run_->document.sequences.front().input.length();
  for (const PadSide side : {PadSide::right, PadSide::left}) {
    ASSERT_TRUE(session_.edit("pad", {}, [&](Document& document) {
      return set_padding(document, {true, side, length + 2});
    }));
    take();
    const std::string real = side == PadSide::right ? " & (torch.arange(t) < " + tokens + ")"
                                                    : std::string(" & (torch.arange(t) >= 2)");
    EXPECT_EQ(torch_line(*run_, mask).find("mask = torch.ones(t, t).tril().bool()" + real + "  #"), 0u)
        << torch_line(*run_, mask);
    EXPECT_EQ(text_of(formula_pieces(run_->trace(0), mask)),
              tr("steps.formula.mask_and_padding", {step_formula(step_of(Slot::mask))}));
  }
}

// "head 1 reads K head 0": the columns that are framed, the head that is multiplied, the line of PyTorch.
TEST_F(StepsViewTest, HeadsThatShareKeysAndValuesFrameTheSharedOnes) {
  open_model("llama3");
  const AttentionSpec& attention = run_->trace(0).config().blocks[0].attention;
  ASSERT_LT(attention.n_kv_heads, attention.n_heads);
  const int shared = attention.n_heads / attention.n_kv_heads;
  const auto own = [&](const char* name, const char* id, int head) {
    for (const Operand& operand : figure(site(name), head).operands)
      if (operand.id == id) return operand.own_group;
    return std::int64_t{-2};
  };
  for (int head = 0; head < attention.n_heads; ++head) {
    for (const char* id : {"top", "result"}) {
      EXPECT_EQ(own("blocks.0.attn.q", id, head), head);
      EXPECT_EQ(own("blocks.0.attn.k", id, head), head / shared) << id;
      EXPECT_EQ(own("blocks.0.attn.v", id, head), head / shared) << id;
    }
    EXPECT_EQ(own("blocks.0.attn.view_k", "before", head), head / shared);
    EXPECT_EQ(own("blocks.0.attn.concat", "result", head), head);
  }
  const std::string repeat = ".repeat_interleave(" + std::to_string(shared) + ", dim=1)";
  EXPECT_EQ(torch_line(*run_, site("blocks.0.attn.scores")).find("q @ k" + repeat + ".transpose(-2, -1)"),
            9u);
  EXPECT_EQ(torch_line(*run_, site("blocks.0.attn.z")).find("weights @ v" + repeat), 4u);
  const std::string heads = std::to_string(attention.n_kv_heads) + "×" + std::to_string(shared);
  EXPECT_NE(shapes_line(*run_, figure(site("blocks.0.attn.scores"))).find(" @ (1, " + heads + ", "),
            std::string::npos);
  for (const char* step : {"blocks.0.attn.k", "blocks.0.attn.scores", "blocks.0.attn.z"})
    EXPECT_NE(sentence_text(run_->trace(0), site(step)).find(std::to_string(shared) + " query heads per"),
              std::string::npos)
        << step;
  open_model("gpt2");
  EXPECT_EQ(torch_line(*run_, site("blocks.0.attn.scores")).find("repeat"), std::string::npos);
}

}  // namespace
}  // namespace attnscope
