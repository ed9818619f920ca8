// The residual view without a screen: the grid's output row is the model's own answer, clicks move the
// cursor.
#include <algorithm>

#include "app/views/residual_lens.h"
#include "app/widgets/matrix_plot.h"
#include "tests/app/views/lens_fixture.h"

namespace attnscope {
std::unique_ptr<View> make_residual_view();
namespace {

class ResidualViewTest : public testing::LensViewFixture {
 protected:
  void fill(LensGrid& grid) {
    for (int tries = 0; tries < 4000 && !grid.complete(); ++tries) {
      grid.follow(session_->opened_version(), run(), 0, session_->workers());
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_TRUE(grid.complete());
  }
};

int most_likely(const Tensor& logits) {
  int best = 0;
  for (int id = 1; id < logits.size(0); ++id)
    if (logits.at(id) > logits.at(best)) best = id;
  return best;
}

TEST_F(ResidualViewTest, TheOutputRowIsWhatTheModelSays) {
  for (const char* model : {"gpt2", "llama"}) {
    open(model);
    type("5 17 5 33 17 88 1 2 3 4 5 6 7 8 9 10 11 12 13 14");
    LensGrid grid;
    fill(grid);
    const Trace& trace = run().trace(0);
    ASSERT_EQ(grid.positions(), trace.length);
    ASSERT_EQ(grid.rows().size(), 1u + 2u * static_cast<std::size_t>(trace.config().n_layers()));
    const auto last = static_cast<std::int64_t>(grid.rows().size()) - 1;
    const Tensor values = grid.values(LensColour::probability);  // [rows, pos], output on top
    for (std::int64_t pos = 0; pos < trace.length; ++pos) {
      EXPECT_EQ(grid.cell(last, pos).token, most_likely(trace.logits_row(pos))) << model << " " << pos;
      EXPECT_FLOAT_EQ(values.at(0, pos), grid.cell(last, pos).probability);
      EXPECT_NEAR(grid.cell(last, pos).kl_to_final, 0.f, 1e-5f);
    }
  }
}

TEST_F(ResidualViewTest, NamesItsRows) {
  open("gpt2");
  LensGrid grid;
  grid.follow(session_->opened_version(), run(), 0, session_->workers());
  EXPECT_EQ(lens_label(run().trace(0).config(), grid.rows()[0]), "embed");
  EXPECT_EQ(lens_label(run().trace(0).config(), grid.rows()[1]), "0 attn");
  EXPECT_EQ(lens_label(run().trace(0).config(), grid.rows()[2]), "0 mlp");
  EXPECT_EQ(lens_label(run().trace(0).config(), grid.rows().back()), "out");
}

TEST_F(ResidualViewTest, ListAndRestMakeTheWhole) {
  open("gpt2");
  const Trace& trace = run().trace(0);
  const auto rows = lens_rows(trace);
  const LensList list = lens_list(trace, rows[2], rows.back(), 3, 10);
  ASSERT_EQ(list.top.size(), 10u);
  float sum = list.rest;
  for (const LensToken& token : list.top) sum += token.probability;
  EXPECT_NEAR(sum, 1.f, 1e-4f);
  const LensList final_list = lens_list(trace, rows.back(), rows.back(), 3, 10);
  EXPECT_EQ(final_list.answer.rank, 0);
  EXPECT_EQ(final_list.answer.token, list.answer.token) << "the answer is the final one wherever one looks";
}

TEST_F(ResidualViewTest, DifferencesCompareThePositionsOfBothRuns) {
  const auto row = [](std::vector<float> values) {
    const auto count = static_cast<std::int64_t>(values.size());
    return Tensor::from(std::move(values), {{Axis::unit, 1}, {Axis::pos, count}});
  };
  const Tensor changed = lens_difference(row({0.5f, kMasked, 0.25f}), row({0.75f, 0.5f}), {{0, 1, -1}});
  EXPECT_FLOAT_EQ(changed.at(0, 0), -0.25f);
  EXPECT_TRUE(is_masked(changed.at(0, 1))) << "not computed yet";
  EXPECT_TRUE(is_masked(changed.at(0, 2))) << "was not there before";
  const Tensor moved = lens_difference(row({0.5f, 0.25f, 1.f}), row({0.75f, 0.5f}), {{1, -1, 0}});
  EXPECT_FLOAT_EQ(moved.at(0, 0), 0.f);
  EXPECT_TRUE(is_masked(moved.at(0, 1)));
  EXPECT_FLOAT_EQ(moved.at(0, 2), 0.25f);
  open("gpt2", "5 17 5 33 17 88");
  type("5 17 9 33 17");
  workspace_.show_difference = true;
  const auto view = make_residual_view();
  settle(*view);
}

TEST_F(ResidualViewTest, DrawsEveryFixtureAtEverySize) {
  const auto view = make_residual_view();
  for (const char* model : {"gpt2", "llama"}) {
    open(model);
    EXPECT_EQ(view->unavailable(run()), "");
    for (const ImVec2 size : {ImVec2(880, 640), ImVec2(720, 420), ImVec2(120, 90)}) settle(*view, size);
  }
  open("scene");
  EXPECT_NE(view->unavailable(run()), "") << "a bare module has no residual stream";
}

TEST_F(ResidualViewTest, InANarrowHalfTheListStandsBelowTheGrid) {
  open("gpt2");
  const auto view = make_residual_view();
  settle(*view, ImVec2(366, 640));
  const ItemRect cells = noted_items().at("matrix.residual_lens");
  EXPECT_GT(cells.p1.x - cells.p0.x, 180.f);
}

TEST_F(ResidualViewTest, AClickMovesTheCursor) {
  open("gpt2", "5 17 5 33 17 88");
  const auto view = make_residual_view();
  settle(*view);
  click_item(*view, "matrix.residual_lens", 3, 4);  // out, 2 attn, 1 mlp, 1 attn
  EXPECT_EQ(to_text(workspace_.cursor.step), "blocks.1.resid_mid");
  EXPECT_EQ(workspace_.cursor.query, 4);
  click_item(*view, "matrix.residual_lens", 0, 2);
  EXPECT_EQ(to_text(workspace_.cursor.step), "blocks.2.resid_post");
  EXPECT_EQ(workspace_.cursor.query, 2);
  for (const char* colour : {"lens_entropy", "lens_kl", "lens_probability"}) {
    click_item(*view, "lens_menu");
    click_item(*view, colour);
  }
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
}

TEST_F(ResidualViewTest, NoWordIsReadOffARowOfPadding) {
  open("gpt2", "5 17 5 33 17 88");
  ASSERT_TRUE(session_->edit("pad", {}, [](Document& document) {
    return set_padding(document, {true, PadSide::right, 9});
  }));
  session_->wait();
  const auto view = make_residual_view();
  workspace_.cursor.query = 5;
  settle(*view);
  ASSERT_TRUE(noted_items().contains("lens_token_0"));
  ASSERT_TRUE(noted_items().contains("residual_by_push"));
  click_item(*view, "matrix.residual_lens", 0, 7);
  settle(*view);
  ASSERT_EQ(workspace_.cursor.query, 7);
  const Tensor values = painter_.shown("residual_lens");
  EXPECT_TRUE(is_masked(values.at(0, 7))) << "hatched";
  EXPECT_FALSE(is_masked(values.at(0, 5)));
  EXPECT_FALSE(noted_items().contains("lens_token_0"));
  EXPECT_FALSE(noted_items().contains("residual_by_push")) << "the sum is of a word's logit";
  EXPECT_TRUE(noted_items().contains("lens_menu"));
}

// Hardly anything is likely in a model with random weights, but for the row of the embedding, which says
// itself: the colours end where the probabilities of nearly all cells do.
TEST_F(ResidualViewTest, AFlatDistributionIsNotAllDark) {
  open("t5");
  const auto view = make_residual_view();
  settle(*view);
  const Tensor values = painter_.shown("residual_lens");
  ASSERT_FALSE(values.empty());
  std::int64_t likely = 0;
  for (const float value : values.values()) likely += value > 0.1f;
  ASSERT_LT(likely * 8, values.count()) << "flat enough to be of use here";
  const ItemRect cells = noted_items().at("matrix.residual_lens");
  const Lut& lut = colormap_lut(Colormap::sequential);
  std::int64_t seen = 0, all = 0;
  const ImDrawData* data = ImGui::GetDrawData();
  for (int list = 0; list < data->CmdListsCount; ++list)
    for (const ImDrawVert& vertex : data->CmdLists[list]->VtxBuffer) {
      const bool inside = vertex.pos.x >= cells.p0.x && vertex.pos.x <= cells.p1.x &&
                          vertex.pos.y >= cells.p0.y && vertex.pos.y <= cells.p1.y;
      const auto entry = std::find(lut.begin(), lut.end(), vertex.col) - lut.begin();
      if (!inside || entry == kLutSize) continue;
      ++all;
      seen += entry > kLutSize / 8;
    }
  EXPECT_GT(all, 4 * values.count() / 2);
  EXPECT_GT(3 * seen, all) << "of " << all;
}

}  // namespace
}  // namespace attnscope
