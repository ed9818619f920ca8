// Ask's sender x receiver and its patch over a data set with the mouse: a cell opens the bars of its receiver
// or its prompts, a bar or a prompt the very run; what Ctrl+E writes.
#include <cmath>

#include "app/state/shown_figure.h"
#include "core/base/text.h"
#include "core/export/data.h"
#include "core/session/prompt_list.h"
#include "core/view/ask_figures.h"
#include "tests/app/ui_driver.h"

namespace attnscope {
namespace {

class AskLinksViewTest : public testing::FrameTest {
 protected:
  void ask() {
    if (!open_shipped_or_skip("storyteller")) return;
    workspace().view = "ask", workspace().ask_more = true;
    workspace().asking.measure.text = "logit_diff:cat,mat";
    settle();
  }
  const SweepAnswer& answer() { return *workspace().asking.answer(); }
  std::size_t cell(const std::string& text) {
    for (std::size_t i = 0; i < answer().cells().size(); ++i)
      if (cell_text(answer().cells()[i]) == text) return i;
    ADD_FAILURE() << text;
    return 0;
  }
  void click_cell(std::int64_t row, std::int64_t col) {
    click_in("matrix.ask_sweep", row, col);
    settle();
  }
  const figure::MatrixMark* matrix(const figure::Figure& figure, const std::string& id) {
    const figure::Part* part = find_part(figure, id);
    return part ? std::get_if<figure::MatrixMark>(&part->mark) : nullptr;
  }
};

TEST_F(AskLinksViewTest, ACellOpensItsReceiversBarsAndABarTheRun) {
  ask();
  click("ask.page.paths");
  settle();
  ASSERT_EQ(workspace().asking.settings.page, AskPage::links);
  ASSERT_TRUE(workspace().asking.answer() && answer().sweep);
  // Senders from the bottom: embedding, four heads, MLP of block 0, then those of block 1, which reach no
  // query.
  const Tensor picture = painter_.shown("ask_sweep");
  ASSERT_EQ(picture.sizes(), (std::vector<std::int64_t>{6, 8}));
  const std::size_t at = cell("blocks.0.attn.z[head=2]->blocks.1.attn.q[head=3]");
  EXPECT_NEAR(picture.at(2, 7), answer().values[at] - answer().base(), 1e-5);
  EXPECT_TRUE(std::isnan(picture.at(2, 0)) || picture.at(2, 0) == kMasked) << "no path to block 0";
  EXPECT_TRUE(shows("ask_result"));
  click_cell(2, 7);
  EXPECT_TRUE(document().edits.empty()) << "a cell is looked at first";
  ASSERT_TRUE(shows("ask_links_title"));
  click("ask_link_" + std::to_string(at));
  settle();
  ASSERT_EQ(document().edits.size(), 1u);
  EXPECT_EQ(to_text(*document().edits[0]), "blocks.0.attn.z[head=2]->blocks.1.attn.q[head=3]=0");
  EXPECT_NEAR(workspace().asking.measure.newest()->value, answer().values[at], 1e-9);
  EXPECT_FALSE(shows("ask.earlier"));
  EXPECT_TRUE(shows("ask_links_title"));
  click("ask_link_" + std::to_string(at));
  settle();
  EXPECT_TRUE(document().edits.empty());
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
}

TEST_F(AskLinksViewTest, ThePagesOfPathsShareTheirChips) {
  ask();
  click("ask.page.paths");
  click("ask.link.total");
  settle();
  EXPECT_EQ(answer().request.path->kind, PathKind::total);
  const std::size_t at = cell("blocks.0.attn.z[head=2]->blocks.1.attn.q[head=3]");
  click_cell(2, 7);
  click("ask_link_" + std::to_string(at));
  settle();
  ASSERT_EQ(document().edits.size(), 1u) << "made beside the frame";
  EXPECT_NEAR(workspace().asking.measure.newest()->value, answer().values[at], 1e-9);
  click("ask_link_" + std::to_string(at));
  settle();
  EXPECT_TRUE(document().edits.empty());
  click("ask.link.to.rest");
  settle();
  EXPECT_EQ(answer().cells().back().to->site.layer, -1) << "the logits";
  click("ask.paths.rollout");
  settle();
  EXPECT_EQ(workspace().asking.settings.page, AskPage::paths);
  EXPECT_TRUE(shows("matrix.ask_paths"));
  click("ask.link.direct");
  settle();
  EXPECT_EQ(workspace().asking.settings.page, AskPage::links);
  EXPECT_TRUE(shows("matrix.ask_sweep"));
}

TEST_F(AskLinksViewTest, TheFigureHasSendersByReceivers) {
  ask();
  click("ask.page.paths");
  settle();
  const auto shown = shown_view(state());
  ASSERT_TRUE(shown && shown->state.asked && shown->state.asked->sweep);
  const auto figure = draw_view(*shown->view, shown->state);
  ASSERT_TRUE(figure) << figure.error().text();
  const figure::MatrixMark* change = matrix(*figure, "change");
  ASSERT_TRUE(change);
  ASSERT_EQ(change->values.sizes(), (std::vector<std::int64_t>{6, 8}));
  EXPECT_EQ(change->own_rows[3].of, "blocks.0.attn.z[head=2]");
  EXPECT_EQ(change->cols.labels[7].str(), "blocks.1.attn.q[head=3]");
  const std::size_t at = cell("blocks.0.attn.z[head=2]->blocks.1.attn.q[head=3]");
  EXPECT_NEAR(change->values.at(3, 7), answer().values[at] - answer().base(), 1e-5);
  click("ask.over.own");
  settle();
  ASSERT_FALSE(workspace().asking.answer()) << "so many runs are not begun without a click";
  click("ask_start");
  settle();
  ASSERT_TRUE(workspace().asking.answer() && answer().over_data() && answer().data);
  const auto over = draw_view(*shown_view(state())->view, shown_view(state())->state);
  ASSERT_TRUE(over) << over.error().text();
  EXPECT_EQ(matrix(*over, "mean")->values.sizes(), (std::vector<std::int64_t>{6, 8}));
  EXPECT_TRUE(shows("ask_result"));
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
}

TEST_F(AskLinksViewTest, PatchOverTheDataSetListsPairsAndOpensOne) {
  ask();
  workspace().asking.measure.text.clear();
  click("ask.page.patch");
  click("ask.over.own");
  settle();
  click("ask.patch.heads");
  settle();
  ASSERT_TRUE(workspace().asking.answer() && answer().over_data() && answer().data);
  EXPECT_FALSE(shows("ask_other")) << "each prompt has its own";
  EXPECT_EQ(answer().prompts_done(), 200);
  click("ask.show.normalised");
  settle();
  EXPECT_NEAR(painter_.shown("ask_sweep").at(0, 3), answer().normalised(7), 1e-5);
  click("ask.over.spread");
  settle();
  EXPECT_NEAR(painter_.shown("ask_sweep").at(0, 3), answer().data->cells()[7].change.deviation(), 1e-5);
  click("ask.over.mean");
  settle();
  click_cell(0, 3);
  ASSERT_TRUE(shows("ask_prompts_title"));
  std::size_t most = 0;
  const auto effect = [&](std::size_t row) {
    const DataRow& of = answer().data->rows()[row];
    return of.values[7].second - of.base;
  };
  for (std::size_t row = 0; row < 200; ++row)
    if (std::fabs(effect(row)) > std::fabs(effect(most))) most = row;
  click("ask_prompt_" + std::to_string(most));
  settle();
  ASSERT_EQ(document().edits.size(), 1u);
  EXPECT_TRUE(looks_at_corrupt(document()));
  EXPECT_NEAR(workspace().asking.measure.newest()->change(), effect(most), 1e-6);
  EXPECT_FALSE(shows("ask.earlier"));
  const auto figure = draw_view(*shown_view(state())->view, shown_view(state())->state);
  ASSERT_TRUE(figure) << figure.error().text();
  EXPECT_NEAR(matrix(*figure, "normalised")->values.at(1, 3), answer().normalised(7), 1e-5);
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
}

TEST_F(AskLinksViewTest, TheLinearTwinStandsWhereAttributionsStand) {
  ask();
  click("ask.page.parts");
  for (const auto& [chip, by] : {std::pair("ask.sum.twin_token", AttributeBy::token),
                                 {"ask.sum.twin_head", AttributeBy::head},
                                 {"ask.sum.twin_neuron", AttributeBy::neuron}}) {
    click(chip);
    settle();
    ASSERT_TRUE(shows("ask_twin_sum")) << chip;
    EXPECT_EQ(shows("ask.sentence.twin"), by == AttributeBy::token) << "through all paths";
    EXPECT_EQ(shows("ask.sentence.twin.written"), by != AttributeBy::token) << "straight into the measure";
    const auto wanted = linear_twin(run().trace(0), *workspace().asking.measure.newest()->measure, by);
    ASSERT_TRUE(wanted);
    EXPECT_LT(std::fabs(wanted->rest), 1e-10);
    const auto figure = draw_view(*shown_view(state())->view, shown_view(state())->state);
    ASSERT_TRUE(figure) << figure.error().text();
    const figure::MatrixMark* twin = matrix(*figure, "twin");
    ASSERT_TRUE(twin) << chip;
    ASSERT_EQ(twin->values.size(0), std::ssize(wanted->parts));
    double sum = 0;
    for (std::int64_t row = 0; row < twin->values.size(0); ++row)
      sum += static_cast<double>(twin->values.at(row, 0));
    EXPECT_NEAR(sum, wanted->total, 1e-4);
  }
  click("ask.sum.twin_token");
  settle();
  click("twin_embed[pos=2]");
  EXPECT_EQ(workspace().cursor.key, 2);
  click("ask.sum.direct");
  settle();
  EXPECT_TRUE(shows("ask_sum"));
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
}

TEST_F(AskLinksViewTest, WhyItLooksThereGoesOverTheDirectionsOfQK) {
  ask();
  click("ask.page.parts");
  settle();
  click("part_blocks.1.attn.z[head=3]");
  settle();
  click("ask.inside.why");
  settle();
  click("ask.score.by.direction");
  settle();
  ASSERT_TRUE(shows("ask_score_directions"));
  const auto& score = workspace().asking.parts.score;
  ASSERT_TRUE(score && score->loadings);
  const auto wanted = score_loadings(run().trace(0), score->pattern, score->head, score->query, score->key);
  ASSERT_TRUE(wanted);
  const auto figure = draw_view(*shown_view(state())->view, shown_view(state())->state);
  ASSERT_TRUE(figure) << figure.error().text();
  const figure::MatrixMark* loadings = matrix(*figure, "loadings");
  ASSERT_TRUE(loadings);
  double sum = wanted->bias;
  for (std::int64_t row = 0; row < loadings->values.size(0); ++row) {
    EXPECT_NEAR(loadings->values.at(row, 0), wanted->directions[static_cast<std::size_t>(row)].value, 1e-5);
    sum += static_cast<double>(loadings->values.at(row, 0));
  }
  EXPECT_NEAR(
      sum, run().trace(0).cell(*parse_site("blocks.1.attn.scaled"), {score->head, score->query, score->key}),
      1e-3);
  click("ask.score.by.head");
  settle();
  EXPECT_TRUE(workspace().asking.parts.score->split);
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
}

}  // namespace
}  // namespace attnscope
