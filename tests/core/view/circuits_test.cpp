// The grid of composition scores is that of the weights the run has, edited ones included; what is too large
// to be drawn says so.
#include "core/lens/circuits.h"

#include <cmath>
#include <map>

#include "core/base/words.h"
#include "core/session/measure_text.h"
#include "core/train/trainer.h"
#include "tests/core/view/opened.h"
#include "tests/edits.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

ViewState shown_induction(const std::vector<std::shared_ptr<const Edit>>& edits, OpenedModel& opened) {
  opened = *open_shipped("model:induction");
  RunOptions options;
  options.edits = edits;
  ViewState state = first_state(opened, *opened.model->run({{3, 7, 9, 4, 3, 7}, {}}, options));
  state.layer = 1, state.head = 1, state.level = Level::full;
  return state;
}

TEST(ViewCircuits, ShowsEveryScore) {
  OpenedModel opened;
  const ViewState state = shown_induction({}, opened);
  const auto figure = draw_view(**find_view("circuits"), state);
  ASSERT_TRUE(figure) << figure.error().text();
  const auto found = circuits_of(*opened.model);
  ASSERT_TRUE(found);
  double best = 0;
  for (const Composition& one : found->composition) {
    const auto& grid =
        mark_of<figure::MatrixMark>(*figure, (std::string("composition_") + reads_name(one.side)).c_str());
    const double chance = 1 / std::sqrt(static_cast<double>(opened.model->config().d_model));
    EXPECT_NEAR(static_cast<double>(grid.values.at(one.from_head, one.to_head)), one.score - chance, 1e-6);
    EXPECT_LE(std::abs(one.score - chance), grid.most + 1e-9);
    EXPECT_EQ(grid.digits, 2) << "chance is 0.125: a third digit makes all of them small";
    best = std::max(best, one.score);
  }
  EXPECT_EQ(sentence_of(*figure)[2], figure::number_text(best, 3));
  EXPECT_EQ(sentence_of(*figure)[8], "0.125");  // 1 / sqrt(64)
  EXPECT_EQ(sentence_of(*figure)[10], figure::number_text(best - 0.125, 3)) << "what the picture shows";
  const auto& heads = mark_of<figure::TableMark>(*figure, "heads");
  ASSERT_EQ(heads.rows.size(), found->heads.size());
  double before = 2;
  for (const auto& row : heads.rows) {
    EXPECT_LE(*row.bar, before);
    before = *row.bar;
    EXPECT_EQ(row.lit, row.cells.front().str() == "1.1");
  }
  const auto words = ov_words(*opened.model, 1, 1, state.run->ids[static_cast<std::size_t>(state.row)], 1);
  ASSERT_TRUE(words);
  EXPECT_EQ(mark_of<figure::TableMark>(*figure, "words").rows.front().cells.front().str(),
            output_name(opened, words->front().id));
}

// What the head looks for, over words of one's own and at a distance: that of `attnscope-cli circuits`.
TEST(ViewCircuits, MapsTheWordsAndTheDistanceThatAreAskedFor) {
  const OpenedModel opened = *open_shipped("model:storyteller-llama");
  ViewState state = first_state(opened, *opened.model->run({{0, 4, 13, 63}, {}}));
  state.layer = 1, state.head = 3, state.level = Level::full;
  state.words = "cat, mat,cat", state.distance = 3;
  const auto figure = draw_view(**find_view("circuits"), state);
  ASSERT_TRUE(figure) << figure.error().text();
  const auto& map = mark_of<figure::MatrixMark>(*figure, "qk_map");
  ASSERT_EQ(map.rows.labels.size(), 2u);
  EXPECT_EQ(map.rows.labels[1].str(), "mat");
  const std::vector<int> ids{*parse_output(opened, "cat"), *parse_output(opened, "mat")};
  const auto expected = circuit_map(*opened.model, 1, 3, false, ids, ids, 3);
  ASSERT_TRUE(expected);
  for (std::int64_t row = 0; row < 2; ++row)
    for (std::int64_t col = 0; col < 2; ++col)
      EXPECT_FLOAT_EQ(map.values.at(row, col),
                      static_cast<float>((*expected)[static_cast<std::size_t>(row * 2 + col)]));
  state.distance = -1;
  const auto near = draw_view(**find_view("circuits"), state);
  ASSERT_TRUE(near);
  EXPECT_NE(mark_of<figure::MatrixMark>(*near, "qk_map").values.at(0, 1), map.values.at(0, 1));
  state.words = "cat,zebra";
  const auto unknown = draw_view(**find_view("circuits"), state);
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().text().find("zebra"), std::string::npos);
  const OpenedModel still = *open_shipped("model:storyteller");
  ViewState other = first_state(still, *still.model->run({{0, 4, 13, 63}, {}}));
  other.distance = 3;
  EXPECT_FALSE(draw_view(**find_view("circuits"), other)) << "nothing rotates there";
}

// What heads come to that have nothing to do with each other: random matrices of their shape.
TEST(ViewCircuits, ChanceIsWhatRandomHeadsComeTo) {
  const ModelConfig config = open_shipped("model:storyteller")->model->config();
  const auto random = Model::make(config, first_weights(config, 5));
  ASSERT_TRUE(random);
  const auto found = circuits_of(**random);
  ASSERT_TRUE(found);
  double squares = 0;
  for (const Composition& one : found->composition) squares += one.score * one.score;
  ASSERT_FALSE(found->composition.empty());
  const double chance = 1 / std::sqrt(static_cast<double>(config.d_model));
  EXPECT_NEAR(std::sqrt(squares / static_cast<double>(found->composition.size())), chance, 0.15 * chance);
}

TEST(ViewCircuits, StandsInTheFullWindowAlone) {
  OpenedModel opened;
  ViewState state = shown_induction({}, opened);
  state.level = Level::easy;
  const auto figure = draw_view(**find_view("circuits"), state);
  ASSERT_FALSE(figure);
  EXPECT_EQ(figure.error().sentence(), tr("error.view.full_only"));
}

TEST(ViewCircuits, FollowsEditedWeights) {
  OpenedModel opened, other;
  const auto figure = draw_view(**find_view("circuits"), shown_induction({}, opened));
  const auto edited =
      draw_view(**find_view("circuits"), shown_induction({edit("blocks.1.attn.k.weight[in=0-3]=0")}, other));
  ASSERT_TRUE(figure && edited);
  const auto& a = mark_of<figure::MatrixMark>(*figure, "composition_k");
  const auto& b = mark_of<figure::MatrixMark>(*edited, "composition_k");
  EXPECT_GT(std::abs(a.values.at(0, 0) - b.values.at(0, 0)), 1e-4f);
}

}  // namespace
}  // namespace attnscope
