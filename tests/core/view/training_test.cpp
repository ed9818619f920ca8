// The losses by a softmax in double precision, and the gradient of the unembedding against the backward pass.
#include <cmath>
#include <map>

#include "core/base/words.h"
#include "core/model/gradients.h"
#include "core/trace/flow.h"
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
    state.page = "unembed";
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

const figure::MatrixMark& back_row(const figure::Figure& figure) {
  return mark_of<figure::MatrixMark>(figure, "row");
}
std::string cells(const figure::MatrixMark& mark, std::int64_t row) {
  std::string out;
  for (std::int64_t col = 0; col < mark.values.size(1); ++col)
    out += std::to_string(mark.values.at(row, col)) + " ";
  return out;
}
double at(const figure::MatrixMark& mark, std::int64_t row, std::int64_t col) {
  return static_cast<double>(mark.values.at(row, col));
}

TEST(ViewTraining, TheGradientOfALogitIsItsShareMinusTheAnswer) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, of.run);
  state.page = "logits";
  const std::vector<int>& ids = of.run->ids_of(state.place.stack);
  for (state.row = 0; state.row + 1 < std::ssize(ids); ++state.row) {
    const figure::Figure figure = *draw_view(**find_view("training"), state);
    const figure::MatrixMark& mark = back_row(figure);
    const Tensor logits = of.run->logits_row(state.row);
    const int target = ids[static_cast<std::size_t>(state.row + 1)];
    double sum = 0;
    for (std::int64_t id = 0; id < logits.count(); ++id) {
      const double share = std::exp(-loss_of(logits, id));
      EXPECT_NEAR(at(mark, 0, id), share, 1e-6);
      EXPECT_EQ(at(mark, 1, id), id == target ? 1 : 0);
      EXPECT_NEAR(at(mark, 2, id), share - (id == target ? 1 : 0), 1e-6) << cells(mark, 2);
      sum += at(mark, 2, id);
    }
    EXPECT_NEAR(sum, 0, 1e-5);
    EXPECT_EQ(mark.order.front(), target) << "the right answer stands first";
  }
}

// By the formula of softmax's backward in double, and the sentence by the sign.
TEST(ViewTraining, TheGradientOfAScoreComesFromThoseOfTheWeights) {
  std::map<std::string, int> said;
  for (const char* name : {"model:storyteller", "model:storyteller-llama", "model:translator"}) {
    const Opened of = opened(name);
    ViewState state = first_state(*of.model, of.run);
    state.page = "pattern";
    for (state.layer = 0; state.layer < of.run->config().n_layers(); ++state.layer)
      for (state.row = 0; state.row < of.run->rows(state.place.stack); ++state.row) {
        const figure::Figure figure = *draw_view(**find_view("training"), state);
        const figure::MatrixMark& mark = back_row(figure);
        double mean = 0;
        for (std::int64_t key = 0; key < mark.values.size(1); ++key)
          mean += at(mark, 0, key) * at(mark, 1, key);
        for (std::int64_t key = 0; key < mark.values.size(1); ++key)
          EXPECT_NEAR(at(mark, 2, key), at(mark, 0, key) * (at(mark, 1, key) - mean), 1e-5) << name;
        const double largest = at(mark, 2, mark.order.front());
        const std::string key = sentence_key(figure).substr(std::string("figure.training.pattern.").size());
        EXPECT_EQ(key, largest < 0 ? "more" : largest > 0 ? "less" : "none") << largest;
        ++said[key];
      }
  }
  EXPECT_GT(said["more"], 3);
  EXPECT_GT(said["less"], 3);
}

// The products add up to the gradient of that weight, by the backward pass and by finite differences; no
// weight of the head has a larger one; a step against it makes the loss smaller.
TEST(ViewTraining, TheProductsAddUpToTheGradientOfOneWeight) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, of.run);
  state.page = "weight", state.layer = 1, state.head = 3;
  for (const std::int64_t row : {3, 7, 10}) {
    state.row = row;
    const ViewSpec& view = **find_view("training");
    const auto gradients = view.gradients(state);
    ASSERT_TRUE(gradients);
    state.gradients = *gradients;
    const figure::Figure figure = *draw_view(view, state);
    const std::vector<std::string> said = sentence_of(figure);
    const std::int64_t wide = of.run->config().blocks[1].attention.d_head, in = std::stol(said[0]),
                       out = std::stol(said[1]) + state.head * wide;
    const Tensor all = (*gradients)->weights().at("blocks.1.attn.q.weight");
    double sum = 0;
    for (std::int64_t col = 0; col < back_row(figure).values.size(1); ++col) {
      EXPECT_NEAR(at(back_row(figure), 2, col), at(back_row(figure), 0, col) * at(back_row(figure), 1, col),
                  1e-6);
      sum += at(back_row(figure), 2, col);
    }
    EXPECT_NEAR(sum, static_cast<double>(all.at(in, out)), 1e-6);
    for (std::int64_t i = 0; i < all.size(0); ++i)
      for (std::int64_t j = state.head * wide; j < (state.head + 1) * wide; ++j)
        EXPECT_LE(std::abs(all.at(i, j)), std::abs(all.at(in, out)) + 1e-6f);
    const auto measured = check_weight(**gradients, "blocks.1.attn.q.weight", {in, out});
    ASSERT_TRUE(measured);
    EXPECT_NEAR(measured->measured, sum, std::max(2 * measured->uncertainty, 1e-3 * std::abs(sum)));
    EXPECT_EQ(sentence_key(figure),
              sum < 0 ? "figure.training.weight.rises" : "figure.training.weight.falls");
  }
}

TEST(ViewTraining, TheStreamsGradientIsAsLongAsItSays) {
  for (const char* name : {"model:storyteller", "model:translator"}) {
    const Opened of = opened(name);
    ViewState state = first_state(*of.model, of.run);
    state.page = "stream";
    const ViewSpec& view = **find_view("training");
    state.gradients = *view.gradients(state);
    const figure::Figure figure = *draw_view(view, state);
    const int blocks = of.run->config().n_layers();
    ASSERT_EQ(back_row(figure).values.size(1), blocks + 1);
    std::int64_t row = 0;  // the one that counts
    while (state.gradients->objective().targets[static_cast<std::size_t>(row)] < 0) ++row;
    for (int layer = blocks - 1; layer >= -1; --layer) {
      const Site site = block_output(*of.run, of.run->config().stack, layer);
      const Tensor gradient = state.gradients->slice(site, 0, {row, row + 1}, {0, 1 << 20});
      double sum = 0;
      for (std::int64_t dim = 0; dim < gradient.size(1); ++dim)
        sum += std::pow(static_cast<double>(gradient.at(0, dim)), 2);
      EXPECT_GT(sum, 0);
      EXPECT_NEAR(at(back_row(figure), 0, blocks - 1 - layer), std::sqrt(sum), 1e-6);
    }
    const auto& sums = mark_of<figure::MatrixMark>(figure, "sum");
    EXPECT_EQ(sentence_key(figure) == "figure.training.stream", cells(sums, 0) == cells(sums, 1)) << name;
  }
}

TEST(ViewTraining, EveryStationDrawsForEveryModelThatHasALoss) {
  const ViewSpec& view = **find_view("training");
  for (const std::string& name : kShippedForViews) {
    const Opened of = opened(name);
    const std::string edit = std::string(stack_prefix(of.run->config().stack)) + "blocks.0.attn.z*=0";
    for (const auto& run : {of.run, edited(of, edit)}) {
      ViewState state = first_state(*of.model, run);
      const std::vector<std::string> pages = pages_of(view, state);
      EXPECT_GE(pages.size(), 5u) << name;
      for (const std::string& page : pages) {
        state.page = page;
        const auto figure = draw_view(view, state);
        EXPECT_TRUE(figure) << name << " " << page << (figure ? "" : figure.error().text());
      }
      state.page = "softmax";
      EXPECT_FALSE(draw_view(view, state)) << "a page of another view";
    }
  }
}

// Where the input does not say what is right, the sentence says that it is assumed.
TEST(ViewTraining, AHiddenWordIsAssumed) {
  const Opened of = opened("model:gap-filler");
  const auto figure = draw_view(**find_view("training"), first_state(*of.model, of.run));
  ASSERT_TRUE(figure);
  EXPECT_EQ(sentence_key(*figure), "figure.training.assumed");
  ViewState back = first_state(*of.model, of.run);
  back.page = "logits";
  EXPECT_EQ(sentence_key(*draw_view(**find_view("training"), back)), "figure.training.logits.assumed");
}

// A model that reads both ways and was not trained to fill gaps has nothing that it should say.
TEST(ViewTraining, IsNotThereWhereNothingIsRight) {
  const Opened of = opened("scene:three_sentences");
  EXPECT_FALSE(draw_view(**find_view("training"), first_state(*of.model, of.run)));
}

}  // namespace
}  // namespace attnscope
