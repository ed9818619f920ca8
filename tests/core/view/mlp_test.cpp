// Which neurons fire: what each adds to the logit of the answer, by a plain loop, and the words.
#include <cmath>

#include "core/base/words.h"
#include "core/lens/logit_lens.h"
#include "core/lens/neurons.h"
#include "core/model/tape.h"
#include "tests/core/view/opened.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

// act times the row of W2, through the norm's gain and the unembedding, over the norm's scale.
TEST(ViewMlp, NamesTheNeuronThatChangesTheAnswerMost) {
  int drawn = 0;
  for_every_row([&](ViewState state, const std::string& where) {
    for (state.layer = 0; state.layer < state.run->config().n_layers(); ++state.layer) {
      const MlpPlace place{state.place.stack, state.layer};
      const auto figure = draw_view(**find_view("mlp"), state);
      if (!figure) {
        EXPECT_EQ(state.run->config().blocks[0].mlp.kind, MlpSpec::Kind::none) << where;
        continue;
      }
      if (sentence_key(*figure) != "figure.mlp.answer") continue;
      if (state.run->config().blocks[0].order == NormOrder::post) continue;  // its own norm comes between
      ++drawn;
      const int token = next_tokens(state.run->logits_row(state.row), Sampling{}).front().id;
      const Record* record = state.run->find(place.site(StepRole::neurons));
      const Tensor acts =
          state.run->slice(record->site, 0, {state.row, state.row + 1}, {0, record->shape[1]});
      const Tensor writes = state.run->weights().get(std::string(stack_prefix(place.stack)) + "blocks." +
                                                     std::to_string(state.layer) + ".mlp.out.weight");
      const Tensor logits = direction_logits(state.run->config(), state.run->weights(), writes);
      std::int64_t strongest = 0;
      const auto adds = [&](std::int64_t neuron) {
        return static_cast<double>(acts.at(0, neuron)) * static_cast<double>(logits.at(neuron, token));
      };
      for (std::int64_t neuron = 0; neuron < record->shape[1]; ++neuron)
        if (std::abs(adds(neuron)) > std::abs(adds(strongest))) strongest = neuron;
      const auto& table = mark_of<figure::TableMark>(*figure, "neurons");
      EXPECT_EQ(table.others + std::ssize(table.rows), record->shape[1]) << "all neurons are counted";
      const std::vector<std::string> said = sentence_of(*figure);
      EXPECT_EQ(said[1], std::to_string(strongest)) << where;
      EXPECT_EQ(said[3], figure::number_text(static_cast<double>(acts.at(0, strongest)), 2)) << where;
      EXPECT_EQ(said[4], answer_name(state, state.row, token).str()) << where;
      // The scale of the final norm is one number for all of them.
      const double scale = *table.rows[0].bar / adds(strongest);
      for (const auto& row : table.rows) {
        const std::int64_t neuron = std::stoll(row.cells.front().str());
        EXPECT_NEAR(*row.bar, scale * adds(neuron), 1e-4 * std::abs(*table.rows[0].bar)) << where;
      }
      // All of them, with the bias, are what the part adds in the waterfall.
      const std::vector<Addition> parts = additions(*state.run, state.row);
      const auto pushed = pushes(*state.run, parts, state.row, token);
      ASSERT_TRUE(pushed);
      for (std::size_t at = 0; at < parts.size(); ++at)
        if (parts[at].site == place.site(Slot::mlp_out)) {
          EXPECT_EQ(said[5], figure::number_text(pushed->of[at], 2)) << where;
        }
    }
  });
  EXPECT_GT(drawn, 50);
}

// For each neuron the words of the text on which it fires most, as it fires at the looked-at row.
TEST(ViewMlp, NamesTheWordsOnWhichEachNeuronIsStrongest) {
  const Opened of = opened("model:storyteller");
  const ViewState state = first_state(*of.model, of.run);
  const auto figure = draw_view(**find_view("mlp"), state);
  ASSERT_TRUE(figure);
  const auto& table = mark_of<figure::TableMark>(*figure, "neurons");
  const Site site = MlpPlace{state.place.stack, state.layer}.site(StepRole::neurons);
  for (std::size_t at = 0; at < table.rows.size(); ++at) {
    const std::int64_t neuron = std::stoll(table.rows[at].cells.front().str());
    const Tensor acts = of.run->slice(site, 0, {0, of.run->length}, {neuron, neuron + 1});
    std::int64_t best = 0;
    const float sign = acts.at(state.row, 0) < 0 ? -1.f : 1.f;
    for (std::int64_t row = 1; row < of.run->length; ++row)
      if (sign * acts.at(row, 0) > sign * acts.at(best, 0)) best = row;
    EXPECT_EQ(table.rows[at].cells[1].str(), figure::number_text(table.rows[at].bar.value_or(-9), 2))
        << "the number beside the bar is what its length shows";
    EXPECT_EQ(table.rows[at].cells[3].arguments().front().str(),
              row_label(*of.model, *of.run, state.place.stack, best));
  }
}

TEST(ViewMlp, ABlockWithoutMlpIsAnError) {
  const Opened of = opened("model:induction");
  const auto figure = draw_view(**find_view("mlp"), first_state(*of.model, of.run));
  ASSERT_FALSE(figure);
  EXPECT_EQ(figure.error().text(), tr("error.view.no_mlp"));
}

}  // namespace
}  // namespace attnscope
