// The losses by a softmax in double precision, and the gradient of the unembedding against the backward pass.
#include <cmath>

#include "core/base/words.h"
#include "core/model/gradients.h"
#include "tests/core/view/opened.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

double loss_of(const Tensor& logits, std::int64_t target) {
  double sum = 0;
  for (std::int64_t id = 0; id < logits.count(); ++id)
    sum += std::exp(static_cast<double>(logits.at(id)) - static_cast<double>(logits.at(target)));
  return std::log(sum);
}

TEST(ViewTraining, LossesAreThoseOfTheNextTokens) {
  int looked = 0;
  for (const std::string name : {"model:storyteller", "model:storyteller-llama"}) {
    const Opened of = opened(name);
    ViewState state = first_state(*of.model, of.run);
    const std::vector<int>& ids = of.run->ids_of(state.place.stack);
    for (state.row = 0; state.row < std::ssize(ids); ++state.row) {
      const auto figure = draw_view(**find_view("training"), state);
      ASSERT_TRUE(figure);
      const auto& table = mark_of<figure::TableMark>(*figure, "losses");
      ASSERT_EQ(table.rows.size() + 1, ids.size());
      double sum = 0, largest = 0;
      for (std::size_t row = 0; row + 1 < ids.size(); ++row) {
        const double loss = loss_of(of.run->logits_row(static_cast<std::int64_t>(row)), ids[row + 1]);
        sum += loss, largest = std::max(largest, loss);
      }
      const std::vector<std::string> said = sentence_of(*figure);
      EXPECT_EQ(said[4], std::to_string(ids.size() - 1));
      EXPECT_NEAR(std::stod(said[5]), sum / static_cast<double>(ids.size() - 1), 0.0051);
      const bool has_next = state.row + 1 < std::ssize(ids);
      EXPECT_EQ(sentence_key(*figure), has_next ? "figure.training.sentence" : "figure.training.elsewhere");
      const double shown =
          has_next ? loss_of(of.run->logits_row(state.row), ids[static_cast<std::size_t>(state.row + 1)])
                   : largest;
      EXPECT_NEAR(*table.rows.front().bar, shown, 1e-4);
      EXPECT_TRUE(table.rows.front().lit);
      looked += has_next ? 1 : 0;
    }
  }
  EXPECT_GT(looked, 10);
}

TEST(ViewTraining, TheGradientOfTheUnembeddingIsThatOfTheBackwardPass) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, of.run);
  const std::vector<int>& ids = of.run->ids_of(state.place.stack);
  for (state.row = 0; state.row + 1 < std::ssize(ids); ++state.row) {
    Objective objective;
    objective.targets.assign(ids.size(), kNotCounted);
    const int target = ids[static_cast<std::size_t>(state.row + 1)];
    objective.targets[static_cast<std::size_t>(state.row)] = target;
    const auto gradients = backward(of.run, objective);
    ASSERT_TRUE(gradients);
    // The one use of the table as unembedding: what it read times the gradients of the logits.
    Tensor read, dy;
    for (const WeightUse& use : (*gradients)->uses())
      if (use.kind == WeightUse::Kind::product && !use.dy.empty() &&
          use.dy.size(1) == of.run->config().outputs())
        read = use.x, dy = use.dy;
    ASSERT_FALSE(read.empty());
    const auto figure = draw_view(**find_view("training"), state);
    ASSERT_TRUE(figure);
    const auto& mark = mark_of<figure::MatrixMark>(*figure, "weights");
    for (std::int64_t dim = 0; dim < mark.values.size(1); ++dim) {
      double gradient = 0;
      for (std::int64_t row = 0; row < read.size(0); ++row)
        gradient += static_cast<double>(read.at(row, dim)) * static_cast<double>(dy.at(row, target));
      EXPECT_NEAR(mark.values.at(2, dim), gradient, 1e-4) << state.row << " " << dim;
    }
  }
}

// One step on the weights themselves, and the logits computed anew by plain loops.
TEST(ViewTraining, TheStepGivesWhatTheChangedWeightsGive) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, of.run);
  const std::vector<int>& ids = of.run->ids_of(state.place.stack);
  const Tensor table = of.run->weights().get("logits.weight");
  for (state.row = 0; state.row + 1 < std::ssize(ids); ++state.row) {
    const figure::Figure figure = *draw_view(**find_view("training"), state);
    const auto& step = mark_of<figure::TableMark>(figure, "step");
    const double rate = std::stod(find_part(figure, "step")->title.front().arguments().front().str());
    const int target = ids[static_cast<std::size_t>(state.row + 1)];
    EXPECT_EQ(step.rows.front().cells.front().str(), output_name(*of.model, target));
    const Tensor x = final_rows(*of.run).slice(0, state.row, state.row + 1);
    const Tensor old = of.run->logits_row(state.row);
    double sum = 0;
    for (std::int64_t id = 0; id < old.count(); ++id) sum += std::exp(static_cast<double>(old.at(id)));
    std::vector<double> logits;
    for (std::int64_t id = 0; id < table.size(1); ++id) {
      const double p = std::exp(static_cast<double>(old.at(id))) / sum;
      double logit = static_cast<double>(old.at(id));
      for (std::int64_t dim = 0; dim < table.size(0); ++dim) {
        const auto read = static_cast<double>(x.at(0, dim));
        logit += read * (-rate * read * (p - (id == target ? 1 : 0)));  // what the weight moved by
      }
      logits.push_back(logit);
    }
    double all = 0;
    for (const double logit : logits) all += std::exp(logit);
    EXPECT_NEAR(*step.rows.front().bar, std::exp(logits[static_cast<std::size_t>(target)]) / all, 1e-4);
    EXPECT_GT(*step.rows.front().bar, *step.rows.front().before);
  }
}

// Where the input does not say what is right, the sentence says that it is assumed.
TEST(ViewTraining, AHiddenWordIsAssumed) {
  const Opened of = opened("model:gap-filler");
  const auto figure = draw_view(**find_view("training"), first_state(*of.model, of.run));
  ASSERT_TRUE(figure);
  EXPECT_EQ(sentence_key(*figure), "figure.training.assumed");
}

// A model that reads both ways and was not trained to fill gaps has nothing that it should say.
TEST(ViewTraining, IsNotThereWhereNothingIsRight) {
  const Opened of = opened("scene:three_sentences");
  EXPECT_FALSE(draw_view(**find_view("training"), first_state(*of.model, of.run)));
}

}  // namespace
}  // namespace attnscope
