// The steps view in the backward mode, without a screen: every gradient of real runs draws, products end in
// the gradient, cells map to gradients and weights, clicking pins them.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <thread>

#include "app/look/item_map.h"
#include "app/views/steps_back_figure.h"
#include "app/views/steps_back_words.h"
#include "app/views/steps_motion.h"
#include "app/views/steps_plot.h"
#include "app/views/view.h"
#include "app/widgets/navigation.h"
#include "app/widgets/places.h"
#include "core/base/assets.h"
#include "core/base/words.h"
#include "tests/app/widgets/imgui_fixture.h"
#include "tests/temp_folder.h"

namespace attnscope {

std::unique_ptr<View> make_steps_view();

namespace {

class StepsBackTest : public testing::ImguiFixture {
 protected:
  void open_model(const std::string& name) {
    session_.open(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/" + name);
    take();
  }
  void take() {
    session_.wait();
    run_ = session_.result();
    ASSERT_TRUE(run_) << (session_.error() ? session_.error()->text() : "");
    workspace_.backward = true;
    workspace_.backward_run.follow(session_.workers(), run_, 0,
                                   {workspace_.backward_rows, workspace_.backward_target});
    finish_jobs();
    grads_ = workspace_.backward_run.newest();
    ASSERT_TRUE(grads_);
  }
  void finish_jobs() {
    while (session_.workers().any_busy()) std::this_thread::yield();
  }
  void draw(int frames = 2, ImVec2 size = ImVec2(906, 640)) {
    for (int i = 0; i < frames; ++i) {
      frame([&] { view_->draw({session_, *run_, nullptr, workspace_, commands_, painter_}); }, size);
      commands_.carry_out(session_);
      finish_jobs();
    }
  }
  GradientFigure figure(const Site& at, const std::string& weight = {}, int head = 1) {
    GradientRequest wish{head, 0, at, weight, false, {4, 2, 9}};
    return build_gradient_figure(grads_, wish);
  }
  const Trace& trace() const { return grads_->gradients->trace(); }
  /// Without a graphics card each pixel of each patch beside a label is a rectangle of its own, and ImGui
  /// takes no more than 2^16 corners.
  bool is_drawn_plainly(const GradientFigure& figure) const {
    return trace().input.pixels.empty() || figure.figure.operands.size() < 4;
  }
  double value(const Operand& operand, std::int64_t row, std::int64_t col) {
    return static_cast<double>(operand_values(trace(), operand, {row, row + 1}, {col, col + 1}).at(0, 0));
  }
  /// The first cell of the result has a name, and its sum ends in the number that is drawn.
  bool is_spelled(const GradientFigure& f) {
    const std::string text = text_of(gradient_spelled(*grads_, f, f.figure.result(), 0, 0));
    const Operand& out = f.figure.operands[static_cast<std::size_t>(f.figure.result())];
    const std::size_t last = text.rfind(" = ");
    if (text.find(".grad[") == std::string::npos || last == std::string::npos) return false;
    std::string number = text.substr(last + 3);
    for (std::size_t at; (at = number.find("−")) != std::string::npos;) number.replace(at, 3, "-");
    const double drawn = value(out, 0, 0);
    return std::abs(std::stod(number) - drawn) <= 1e-3 * std::abs(drawn);
  }
  Session session_;
  Workspace workspace_;
  Commands commands_;
  std::unique_ptr<View> view_ = make_steps_view();
  std::shared_ptr<const RunResult> run_;
  std::shared_ptr<const BackwardResult> grads_;
};

TEST_F(StepsBackTest, GradientsMoveOutOfWhatTheyAreMadeFrom) {
  open_model("gpt2");
  ASSERT_TRUE(grads_->gradients);
  int products = 0, flown = 0;
  for (const TimelineStep& step : grads_->walk->steps)
    for (const Site& at : step.sites) {
      const Figure shown = figure(at).figure;
      const MotionPlan plan = plan_gradient_motion(trace(), shown);
      std::map<std::pair<std::int64_t, std::int64_t>, double> sums;
      for (const MotionFlight& flight : plan.flights) {
        ASSERT_EQ(flight.to.operand, shown.result()) << to_text(at);
        ASSERT_NE(flight.from.operand, shown.result()) << to_text(at);
        sums[{flight.to.row, flight.to.col}] += static_cast<double>(flight.value);
        ++flown;
      }
      if (shown.layout != Figure::Layout::product || shown.operands[0].col.size > 64 ||
          !shown.operands[0].picked_cols.empty())
        continue;
      for (const auto& [cell, sum] : sums) {
        const double drawn =
            value(shown.operands[static_cast<std::size_t>(shown.result())], cell.first, cell.second);
        EXPECT_NEAR(sum, drawn, 1e-4 * std::max(1e-3, std::abs(drawn))) << to_text(at);
        ++products;
      }
    }
  EXPECT_GT(products, 10);
  EXPECT_GT(flown, 1000);
  workspace_.motion = 0.6f;  // in the air
  go_to_site(workspace_, *grads_->walk, site_of(Slot::resid_mid, 0));
  draw(2);
  workspace_.motion = 1.f;
  draw(1);
}

TEST_F(StepsBackTest, EveryGradientAndEveryWeightDraws) {
  for (const char* model : {"gpt2", "llama", "marian", "bert", "vit", "gemma2", "t5", "bloom"}) {
    open_model(model);
    ASSERT_TRUE(grads_->gradients) << model << ": " << grads_->error->text();
    for (const TimelineStep& step : grads_->walk->steps) {
      for (const Site& at : step.sites) {
        go_to_site(workspace_, *grads_->walk, at);
        const GradientFigure f = figure(at);
        if (is_drawn_plainly(f)) draw(2, ImVec2(746, 470));
        EXPECT_EQ(f.name, to_text(at) + ".grad");
        ASSERT_GE(f.figure.result(), 0) << f.name;
        EXPECT_TRUE(is_spelled(f)) << f.name;
        for (const std::string& weight : weights_of_step(*grads_->gradients, at))
          EXPECT_TRUE(is_spelled(figure(at, weight))) << weight;
        EXPECT_FALSE(text_of(gradient_formula(*grads_, at, "")).empty()) << f.name;
        EXPECT_FALSE(gradient_shapes(*grads_, f).empty()) << f.name;
        EXPECT_NE(gradient_torch(*grads_, at, "").find(".grad"), std::string::npos) << f.name;
      }
    }
  }
  for (const std::string& key : missing_keys())
    EXPECT_FALSE(key.starts_with("step.") || key.starts_with("steps.")) << key << " has no text";
}

TEST_F(StepsBackTest, ProductsEndInTheGradient) {
  for (const char* model : {"gpt2", "llama", "marian", "t5"}) {
    open_model(model);
    int products = 0;
    for (const TimelineStep& step : grads_->walk->steps) {
      for (const Site& at : step.sites) {
        std::vector<std::string> shown{""};
        for (const std::string& weight : weights_of_step(*grads_->gradients, at)) shown.push_back(weight);
        for (const std::string& weight : shown) {
          GradientRequest wish{1, 0, at, weight, true, {}};
          const GradientFigure f = build_gradient_figure(grads_, wish);
          if (f.pieces.empty()) continue;
          ++products;
          const Operand &left = f.figure.operands[0], &top = f.figure.operands[1],
                        &out = f.figure.operands[static_cast<std::size_t>(f.figure.result())];
          ASSERT_EQ(left.col.size, top.row.size) << f.name;
          ASSERT_EQ(left.row.size, out.row.size) << f.name;
          ASSERT_EQ(top.col.size, out.col.size) << f.name;
          const std::int64_t row = out.row.size / 2, col = out.col.size - 1;
          double sum = 0, size = 0;
          for (std::int64_t i = 0; i < left.col.size; ++i) {
            sum += value(left, row, i) * value(top, i, col);
            size += std::abs(value(left, row, i) * value(top, i, col));
          }
          EXPECT_NEAR(value(out, row, col), sum, 1e-6 + 1e-4 * size) << model << " " << f.name;
        }
      }
    }
    EXPECT_GT(products, 20) << model;
  }
}

TEST_F(StepsBackTest, ElementwiseGradientsAreTheProductOfWhatIsShown) {
  open_model("llama");
  const Site gate = *parse_site("blocks.0.mlp.gate");
  const GradientFigure f = figure(gate);
  ASSERT_EQ(f.figure.operands.size(), 3u);
  EXPECT_NEAR(value(f.figure.operands[0], 2, 3) * value(f.figure.operands[1], 2, 3),
              value(f.figure.operands[2], 2, 3), 1e-6);
  const GradientFigure s = figure(*parse_site("blocks.1.attn.masked"));
  ASSERT_EQ(s.figure.operands.size(), 4u);
  const auto& o = s.figure.operands;
  EXPECT_NEAR(value(o[0], 3, 1) * (value(o[1], 3, 1) - value(o[2], 3, 0)), value(o[3], 3, 1), 1e-6);
}

TEST_F(StepsBackTest, CellsOfJoinedFactorsAreFound) {
  open_model("llama");
  const GradientFigure f = figure(*parse_site("blocks.0.attn.rot_k"));
  ASSERT_GE(f.pieces.size(), 2u) << "heads that share a key";
  const std::int64_t width = f.pieces[0].left.col.size;
  const GradientSpot second = gradient_spot(f, 0, 2, width + 3);
  ASSERT_TRUE(second.operand);
  EXPECT_EQ(second.col, 3);
  EXPECT_EQ(value(*second.operand, second.row, second.col), value(f.figure.operands[0], 2, width + 3));
  const std::string text = text_of(gradient_spelled(*grads_, f, 0, 2, width + 3));
  EXPECT_TRUE(text.find(".grad[") != std::string::npos) << text;
}

TEST_F(StepsBackTest, SharesOfSeveralReadersAreDrawnAndAddUp) {
  for (const char* model :
       {"gpt2", "llama", "marian", "bert", "gemma2", "t5", "gpt_neox", "paligemma_prefix"}) {
    open_model(model);
    int several = 0;
    for (const TimelineStep& step : grads_->walk->steps) {
      for (const Site& at : step.sites) {
        const auto& readers = grads_->readers_of(at);
        if (readers.size() < 2) continue;
        ++several;
        const GradientFigure f = build_gradient_figure(grads_, {0, 0, at, "", true, {}});
        const Operand& out = f.figure.operands[static_cast<std::size_t>(f.figure.result())];
        ASSERT_EQ(f.shares.size(), std::min<std::size_t>(readers.size(), 4)) << f.name;
        const std::int64_t row = out.row.size / 2, col = out.col.size / 3;
        double sum = 0, size = 0;
        for (std::size_t i = 0; i < f.shares.size(); ++i) {
          sum += value(f.figure.operands[i], row, col);
          size += std::abs(value(f.figure.operands[i], row, col));
        }
        EXPECT_NEAR(value(out, row, col), sum, 1e-7 + 1e-4 * size) << model << " " << f.name;
        const std::string text = text_of(gradient_spelled(*grads_, f, f.figure.result(), row, col));
        EXPECT_NE(text.find("from " + reader_name(readers, readers.back())), std::string::npos) << text;
        for (int from = 0; from < static_cast<int>(readers.size()); ++from) {
          const GradientFigure one = build_gradient_figure(grads_, {0, 0, at, "", true, {}, from});
          const Operand& share = one.figure.operands[static_cast<std::size_t>(one.figure.result())];
          const auto why =
              explain_share(*grads_->gradients, at, readers[static_cast<std::size_t>(from)], {row, col});
          EXPECT_NEAR(value(share, row, col), why.value, 1e-7 + 1e-4 * size) << model << " " << one.name;
          EXPECT_FALSE(text_of(gradient_formula(*grads_, at, "", from)).empty()) << one.name;
        }
      }
    }
    EXPECT_GT(several, 2) << model;
  }
}

TEST_F(StepsBackTest, ThePartsOfANormMakeItsGradient) {
  for (const char* model : {"gpt2", "llama", "bert", "gemma2", "qwen3"}) {
    open_model(model);
    int norms = 0;
    for (const TimelineStep& step : grads_->walk->steps) {
      for (const Site& at : step.sites) {
        const auto& readers = grads_->readers_of(at);
        for (int from = 0; from < static_cast<int>(readers.size()); ++from) {
          if (step_of(readers[static_cast<std::size_t>(from)].slot).rule != Rule::norm) continue;
          ++norms;
          const GradientFigure f = build_gradient_figure(grads_, {0, 0, at, "", true, {}, from});
          const auto part = [&](const char* id, std::int64_t row, std::int64_t col) {
            for (const Operand& operand : f.figure.operands)
              if (operand.id == id) return value(operand, row, col);
            return 0.0;
          };
          const std::int64_t row = 2, col = 3;
          const double g = part("from0", row, col) * part("gamma", 0, col);
          const double made =
              part("inverse", row, 0) *
              (g - part("mean", row, 0) - part("normed", row, col) * part("mean_with", row, 0));
          EXPECT_NE(part("normed", row, col), 0.0) << f.name;
          EXPECT_NEAR(part("result", row, col), made, 1e-7 + 1e-4 * std::abs(g)) << model << " " << f.name;
          const std::string formula = text_of(gradient_formula(*grads_, at, "", from));
          const NormSpec& spec = norm_spec(trace().config(), readers[static_cast<std::size_t>(from)]);
          EXPECT_EQ(formula.find("mean(g) ") != std::string::npos, spec.kind == NormSpec::Kind::layer);
        }
      }
    }
    EXPECT_GT(norms, 2) << model;
  }
}

TEST_F(StepsBackTest, ATiedTableShowsBothItsUses) {
  open_model("gpt2");
  const GradientFigure f =
      build_gradient_figure(grads_, {0, 0, *parse_site("tok_embed"), "tok_embed.weight", true, {}});
  ASSERT_EQ(f.shares.size(), 2u);
  const Operand& out = f.figure.operands[static_cast<std::size_t>(f.figure.result())];
  const auto index = source_index(trace(), out, 1, 2);
  const double both = value(f.figure.operands[0], 1, 2) + value(f.figure.operands[1], 1, 2);
  EXPECT_NEAR(value(out, 1, 2), both, 1e-6);
  EXPECT_NEAR(value(out, 1, 2), weight_gradient_cell(*grads_->gradients, "tok_embed.weight", index), 1e-6);
  const GradientFigure own =
      build_gradient_figure(grads_, {0, 0, *parse_site("tok_embed"), "tok_embed.weight", true, {}, 0});
  EXPECT_TRUE(own.shares.empty());
}

TEST_F(StepsBackTest, TorchLinesNameTheGradient) {
  open_model("gpt2");
  const Site q = *parse_site("blocks.0.attn.q");
  EXPECT_EQ(gradient_torch(*grads_, q, ""), "q.grad  # after loss.backward(), with q.retain_grad()");
  EXPECT_EQ(gradient_torch(*grads_, q, "blocks.0.attn.q.weight"),
            "W_query.weight.grad.T  # after loss.backward()");
  EXPECT_EQ(gradient_torch(*grads_, q, "blocks.0.attn.q.bias"), "W_query.bias.grad  # after loss.backward()");
  EXPECT_EQ(text_of(gradient_formula(*grads_, q, "blocks.0.attn.q.weight")), "dWQ = xᵀ · dQ");
}

TEST_F(StepsBackTest, ClickingPinsACellOfTheStep) {
  open_model("gpt2");
  workspace_.animate = false;
  const Site at = *parse_site("blocks.0.attn.pattern");
  go_to_site(workspace_, *run_, at);
  draw(3);
  EXPECT_TRUE(click_until(
      ImVec2(400, 200), ImVec2(720, 520), [&] { draw(1); },
      [&] {
        EXPECT_EQ(workspace_.cursor.step, at) << "the stage stays where it is";
        return workspace_.cursor.pinned && workspace_.cursor.pinned->site == at;
      }));
}

TEST_F(StepsBackTest, WhereThereIsNoLossASentenceSaysWhy) {
  open_model("gpt2");
  ASSERT_TRUE(session_.edit("one", "", [](Document& document) { return set_ids(document, 0, {3}, {}); }));
  take();
  EXPECT_TRUE(grads_->error);
  draw();
  workspace_.backward_target = 2;
  take();
  EXPECT_TRUE(grads_->gradients);
  draw();
}

TEST_F(StepsBackTest, TheRowsThatCountAreShownAndChosen) {
  session_.open(std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/models/sorter");
  take();
  ASSERT_TRUE(grads_->gradients) << grads_->error->text();
  const auto counted = [&] { return grads_->gradients->loss().counted; };
  EXPECT_EQ(counted(), 6);  // the answer, but for its end
  go_to_site(workspace_, *grads_->walk, site_of(Slot::logits));
  note_items(true);
  begin_items();
  draw();
  EXPECT_TRUE(noted_items().count("loss_rows"));
  note_items(false);
  workspace_.backward_rows = LossRows::all;
  take();
  EXPECT_EQ(counted(), 12);
  draw();
  workspace_.backward_rows = LossRows::last;
  take();
  EXPECT_EQ(counted(), 1);
  draw();
  for (const std::string& key : missing_keys())
    EXPECT_FALSE(key.starts_with("steps.")) << key << " has no text";
}

// A patch says nothing of the next one: what predicts a word or an action has the room.
TEST_F(StepsBackTest, RowsOfAnImageThatCanHaveNoTargetAreLeftOut) {
  session_.open(std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/models/pilot");
  workspace_.backward_rows = LossRows::all;
  take();
  const GradientFigure f = figure(site_of(Slot::logits));
  ASSERT_EQ(f.figure.operands.size(), 3u);
  const std::int64_t patches = 16, rows = trace().length - (patches - 1);
  for (const Operand& operand : f.figure.operands) {
    EXPECT_EQ(operand.row.size, rows) << operand.id;
    EXPECT_EQ(axis_entry(*run_, 0, operand, true, 1), row_name(*run_, 0, Stack::single, patches))
        << operand.id;
  }
  const double p = value(f.figure.operands[1], 1, 0);
  EXPECT_NEAR(p, run_->trace(0).cell(trace().main(StepRole::probs), {patches, 4}), 1e-6) << "its own row";
}

// Where the outputs of all rows are too many for a frame, one row stands there: with its own name, loss and
// target.
TEST_F(StepsBackTest, TheLossOfALargeVocabularyIsThatOfTheChosenRow) {
  const testing::TempFolder folder;
  const std::string config = folder / "config.json";
  std::ofstream(config)
      << R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64,
    "num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 2, "intermediate_size": 32,
    "vocab_size": 9000, "max_position_embeddings": 64, "rms_norm_eps": 1e-5})";
  session_.open("random:" + config);
  session_.wait();
  std::vector<int> ids;
  for (int i = 0; i < 12; ++i) ids.push_back(31 * i + 7);
  ASSERT_TRUE(session_.edit("ids", "", [&](Document& document) { return set_ids(document, 0, ids, {}); }));
  take();
  ASSERT_TRUE(grads_->gradients && large_vocabulary(trace()));
  const std::int64_t query = 5, target = ids[6];
  GradientRequest wish{0, 0, site_of(Slot::logits), "", false, {target, 2}};
  wish.query = query;
  const GradientFigure f = build_gradient_figure(grads_, wish);
  ASSERT_EQ(f.figure.operands.size(), 3u);
  for (const Operand& operand : f.figure.operands)
    EXPECT_EQ(axis_entry(*run_, 0, operand, true, 0), row_name(*run_, 0, Stack::single, query)) << operand.id;
  const double p = value(f.figure.operands[1], 0, 0), n = 11;
  EXPECT_NEAR(value(f.figure.operands[0], 0, 0), -std::log(p), 1e-4);
  EXPECT_NEAR(value(f.figure.operands[2], 0, 0), (p - 1) / n, 1e-6);
}

}  // namespace
}  // namespace attnscope
