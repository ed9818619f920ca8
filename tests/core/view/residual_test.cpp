// The waterfall closes, and its steps are the pushes of the run.
#include <gtest/gtest.h>

#include "core/arch/scene.h"
#include "core/figure/drawing.h"
#include "core/lens/logit_lens.h"
#include "core/session/document.h"
#include "tests/core/view/opened.h"

namespace attnscope {
namespace {

TEST(ViewResidual, TheWaterfallClosesAtTheLogitOfEveryRow) {
  for (const std::string& name : testing::kShippedForViews) {
    const testing::Opened of = testing::opened(name);
    ViewState state = first_state(*of.model, of.run);
    state.level = Level::easy;
    for (state.row = 0; state.row < state.run->rows(state.place.stack); ++state.row) {
      const auto figure = draw_view(**find_view("residual"), state);
      ASSERT_TRUE(figure) << name << ": " << figure.error().text();
      const auto& table = std::get<figure::TableMark>(figure::find_part(*figure, "waterfall")->mark);
      double sum = 0;
      for (std::size_t at = 0; at + 1 < table.rows.size(); ++at) {
        EXPECT_NEAR(*table.rows[at].from, sum, 1e-9);
        sum += *table.rows[at].bar;
        EXPECT_GE(table.most + 1e-9, sum);
        EXPECT_LE(table.least - 1e-9, sum);
      }
      const Tensor logits = state.run->logits_row(answer_row(state));
      const int token = next_tokens(logits, Sampling{}).front().id;
      EXPECT_NEAR(sum, static_cast<double>(logits.at(token)), 1e-3) << name << " row " << state.row;
      EXPECT_NEAR(*table.rows.back().bar, sum, 1e-6);
      if (table.rows.front().cells.size() > 2) {
        EXPECT_EQ(table.rows[table.rows.size() - 3].cells[2].str(),
                  answer_name(state, answer_row(state), token).str())
            << "the last part's lens is not what the model says";
      }
      const auto& said = std::get<figure::WordsMark>(figure::find_part(*figure, "sentence")->mark);
      double largest = -1e30;
      for (std::size_t at = 0; at + 2 < table.rows.size(); ++at)
        largest = std::max(largest, *table.rows[at].bar);
      EXPECT_EQ(said.forms.front().arguments()[3].str(), figure::number_text(largest, 2));
    }
  }
}

// Where attention's result is normed once more, the norm is what is added: it is attention's all the same.
TEST(ViewResidual, NamesTheAttentionOfABlockWithNormsBehindItsBranches) {
  const char* const kConfig = R"({"format": "attnscope-scene", "version": 1, "title": "toy", "seed": 5,
    "config": {"d_model": 8, "vocab_size": 6, "n_layers": 2, "norm": {"kind": "rms"}, "branch_norms": true,
      "final_norm": {"kind": "rms"}, "attention": {"n_heads": 2, "n_kv_heads": 2, "d_head": 4},
      "mlp": {"kind": "plain", "activation": "relu", "d_mlp": 12}, "head": {"present": true, "tied": true}},
    "inputs": [{"ids": [0, 1, 2]}]})";
  const auto scene = scene_from_text(kConfig, "toy");
  ASSERT_TRUE(scene) << scene.error().text();
  const auto run = scene->model->run(scene->inputs[0]);
  ASSERT_TRUE(run) << run.error().text();
  OpenedModel model;
  model.model = scene->model;
  const auto figure = draw_view(**find_view("residual"), first_state(model, *run));
  ASSERT_TRUE(figure) << figure.error().text();
  const auto& table = testing::mark_of<figure::TableMark>(*figure, "waterfall");
  std::vector<std::string> keys;
  for (const auto& row : table.rows) keys.push_back(row.cells.front().key());
  EXPECT_EQ(std::vector<std::string>(keys.begin(), keys.begin() + 5),
            (std::vector<std::string>{"figure.residual.embed", "figure.residual.attn", "figure.residual.mlp",
                                      "figure.residual.attn", "figure.residual.mlp"}));
}

TEST(ViewResidual, SaysHowSureTheModelWouldBeIfItStoppedThere) {
  int compared = 0;
  for (const std::string& name : testing::kShippedForViews) {
    const testing::Opened of = testing::opened(name);
    const ViewState state = first_state(*of.model, of.run);
    const auto figure = draw_view(**find_view("residual"), state);
    ASSERT_TRUE(figure) << name;
    const auto& table = testing::mark_of<figure::TableMark>(*figure, "waterfall");
    const std::vector<LensRow> rows = lens_rows(*state.run);
    if (table.said < 0 || rows.size() + 2 != table.rows.size()) continue;
    for (std::size_t at = 0; at < rows.size(); ++at) {
      const LensToken top = lens_top(*state.run, rows[at], answer_row(state), 1).front();
      EXPECT_EQ(table.rows[at].share, static_cast<double>(top.probability)) << name << " " << at;
      EXPECT_EQ(table.rows[at].cells[2].str(), answer_name(state, answer_row(state), top.token).str());
      EXPECT_EQ(table.rows[at].cells[3].str(), percent(*table.rows[at].share).str());
      ++compared;
    }
    const auto answer = answer_table(state, answer_row(state), 1);
    EXPECT_NEAR(*table.rows.back().share, *answer->rows.front().bar, 1e-6) << name;
    EXPECT_FALSE(table.rows[rows.size()].share) << "after the biases nothing is said yet";
  }
  EXPECT_GT(compared, 8);
}

// Five rows in a window of 1280x720 are no narrow strip above nothing.
TEST(ViewResidual, RowsTakeTheHeightThatIsThere) {
  const figure::Measure measure;
  const testing::Opened of = testing::opened("model:storyteller");
  ViewState state = first_state(*of.model, of.run);
  state.level = Level::easy;
  for (const char* view : {"residual", "mlp"}) {
    const auto figure = draw_view(**find_view(view), state, false);
    ASSERT_TRUE(figure);
    const figure::Placed placed = figure::place(*figure, 1280, 480, figure::kWindowLetters, measure);
    EXPECT_TRUE(placed.overflows.empty());
    float bottom = 0;
    for (const figure::DrawnShape& shape : figure::draw(placed, figure::kWindowLetters, measure, true).shapes)
      if (shape.kind == figure::DrawnShape::Kind::text) bottom = std::max(bottom, shape.y);
    EXPECT_GT(bottom, 400) << view;
  }
}

}  // namespace
}  // namespace attnscope
