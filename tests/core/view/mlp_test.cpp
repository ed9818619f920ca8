// Which neurons fire: lengths of act times the row of W2, and the words, by a plain loop.
#include <cmath>

#include "core/base/words.h"
#include "core/lens/neurons.h"
#include "tests/core/view/opened.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

TEST(ViewMlp, NamesTheStrongestNeuronOfEveryRowAndItsWord) {
  int drawn = 0, pushes = 0;
  for_every_row([&](ViewState state, const std::string& where) {
    for (state.layer = 0; state.layer < state.run->config().n_layers(); ++state.layer) {
      const MlpPlace place{state.place.stack, state.layer};
      const auto figure = draw_view(**find_view("mlp"), state);
      if (!figure) {
        EXPECT_EQ(state.run->config().blocks[0].mlp.kind, MlpSpec::Kind::none) << where;
        continue;
      }
      ++drawn;
      const Record* record = state.run->find(place.site(StepRole::neurons));
      const Tensor acts =
          state.run->slice(record->site, 0, {state.row, state.row + 1}, {0, record->shape[1]});
      const Tensor writes = state.run->weights().get(std::string(stack_prefix(place.stack)) + "blocks." +
                                                     std::to_string(state.layer) + ".mlp.out.weight");
      double best = 0;
      std::int64_t strongest = 0;
      for (std::int64_t neuron = 0; neuron < record->shape[1]; ++neuron) {
        double square = 0;
        for (const float one : writes.select(0, neuron).values())
          square += static_cast<double>(one) * static_cast<double>(one);
        const double adds = std::abs(static_cast<double>(acts.at(0, neuron))) * std::sqrt(square);
        if (adds > best) best = adds, strongest = neuron;
      }
      const std::vector<std::string> said = sentence_of(*figure);
      EXPECT_EQ(said[1], std::to_string(strongest)) << where;
      EXPECT_EQ(said[3], figure::number_text(static_cast<double>(acts.at(0, strongest)), 2)) << where;
      EXPECT_NEAR(*mark_of<figure::TableMark>(*figure, "neurons").rows[0].bar, best, 1e-6 * best);
      if (sentence_key(*figure) != "figure.mlp.pushes") continue;
      // The word whose logit the addition raises most, through the final norm's gain.
      ++pushes;
      Tensor direction = Tensor::from(writes.slice(0, strongest, strongest + 1).values(),
                                      {{Axis::pos, 1}, {Axis::d_model, writes.size(1)}});
      if (state.run->config().blocks[0].order == NormOrder::post) continue;  // its own norm comes between
      const Tensor logits = direction_logits(state.run->config(), state.run->weights(), direction);
      std::int64_t word = 0;
      const float act = acts.at(0, strongest);
      for (std::int64_t id = 0; id < logits.size(1); ++id)
        if (act * logits.at(0, id) > act * logits.at(0, word)) word = id;
      EXPECT_EQ(said[4], output_name(*state.opened, static_cast<int>(word))) << where;
    }
  });
  EXPECT_GT(drawn, 100);
  EXPECT_GT(pushes, 100);
}

// For each neuron the words of the text on which it fires most, as it fires at the looked-at row.
TEST(ViewMlp, NamesTheWordsOnWhichEachNeuronIsStrongest) {
  const Opened of = opened("model:storyteller");
  const ViewState state = first_state(*of.model, of.run);
  const auto figure = draw_view(**find_view("mlp"), state);
  ASSERT_TRUE(figure);
  const auto& table = mark_of<figure::TableMark>(*figure, "neurons");
  const Site site = MlpPlace{state.place.stack, state.layer}.site(StepRole::neurons);
  const auto top = strongest_neurons(*of.run, {state.place.stack, state.layer}, state.row, table.rows.size());
  for (std::size_t at = 0; at < top.size(); ++at) {
    const Tensor acts = of.run->slice(site, 0, {0, of.run->length}, {top[at].index, top[at].index + 1});
    std::int64_t best = 0;
    const float sign = top[at].act < 0 ? -1.f : 1.f;
    for (std::int64_t row = 1; row < of.run->length; ++row)
      if (sign * acts.at(row, 0) > sign * acts.at(best, 0)) best = row;
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
