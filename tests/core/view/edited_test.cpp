// Sentences and rows after an edit: they say what the run has now.
#include <cmath>

#include "core/lens/attention_row.h"
#include "tests/core/view/opened.h"

namespace attnscope::testing {
namespace {

struct Shown {
  figure::Figure figure;
  std::shared_ptr<const Trace> run;
  std::vector<std::string> said() const { return sentence_of(figure); }
  std::string key() const { return sentence_key(figure); }
};
Shown shown(const Opened& of, const std::string& view, const std::string& page, const std::string& edit) {
  ViewState state = first_state(*of.model, edit.empty() ? of.run : edited(of, edit));
  state.page = page, state.layer = 1, state.head = 3;
  auto figure = draw_view(**find_view(view), state);
  EXPECT_TRUE(figure) << view << " " << edit;
  return {*figure, state.run};
}
const figure::MatrixMark& large_row(const Shown& shown) {
  return mark_of<figure::MatrixMark>(shown.figure, "row");
}

TEST(ViewEdited, AMaskThatHidesNothingIsSaidToHideNothing) {
  const Opened of = opened("model:storyteller");
  Document document = new_document(of.model);
  Request request;
  const auto key_of_mask = [&](const std::string& mask) {
    request.masks = {mask};
    EXPECT_TRUE(apply_request(document, request));
    const auto runs = run_all(document, {}, {});
    EXPECT_TRUE(runs);
    return sentence_key(*draw_view(**find_view("mask"), first_state(*of.model, runs->front())));
  };
  EXPECT_EQ(key_of_mask("full"), "figure.mask.everybody");
  EXPECT_EQ(key_of_mask("window(4)"), "figure.mask.before");
  EXPECT_EQ(shown(of, "mask", "", "").key(), "figure.mask.last");
}

TEST(ViewEdited, EditedWeightsAreNotCalledSoftmax) {
  const Opened of = opened("model:storyteller");
  const auto title = [&](const std::string& edit) {
    return find_part(shown(of, "mask", "", edit).figure, "pattern")->title.front().key();
  };
  EXPECT_EQ(title(""), "figure.mask.pattern");
  EXPECT_EQ(title("blocks.1.attn.pattern[head=3,query=13,key=2]=0.7"), "figure.mask.edited");
}

// The station names the weight that was changed, not the largest of the row.
TEST(ViewEdited, TheSoftmaxStationNamesTheWeightThatWasChanged) {
  const Opened of = opened("model:storyteller");
  for (const std::int64_t key : {0, 2, 7}) {
    const Shown now = shown(of, "steps", "softmax",
                            "blocks.1.attn.pattern[head=3,query=13,key=" + std::to_string(key) + "]=0.4");
    EXPECT_EQ(now.key(), "figure.steps.softmax.edited");
    EXPECT_EQ(now.said()[1], row_label(*of.model, *of.run, Stack::single, key));
    EXPECT_EQ(now.said()[2], "0.40");
    const auto row = attention_row(*of.run, of.run->main(StepRole::pattern, 1), 3, 13);
    EXPECT_EQ(now.said()[5], figure::number_text(row->terms[static_cast<std::size_t>(key)].weight, 2));
  }
}

TEST(ViewEdited, AnEditOfTheLogitsIsNoBias) {
  const Opened of = opened("model:storyteller");
  for (const auto& [edit, key] : std::vector<std::pair<std::string, std::string>>{
           {"", "figure.residual.sentence"},
           {"logits[pos=13,vocab=13]=30", "figure.residual.edited"},
           {"ln_final.out[pos=13]=1", "figure.residual.edited"},
           {"blocks.0.attn.out[pos=13]=1", "figure.residual.sentence"}}) {
    const Shown now = shown(of, "residual", "", edit);
    EXPECT_EQ(now.key(), key) << edit;
    const auto& table = mark_of<figure::TableMark>(now.figure, "waterfall");
    double sum = 0, largest = 0, bias = 0, rest = 0;
    for (const figure::TableMark::Row& row : table.rows) {
      if (row.lit) continue;
      const std::string name = row.cells.front().key();
      sum += *row.bar;
      if (name == "figure.residual.bias")
        bias = *row.bar;
      else if (name == "figure.residual.edit")
        rest = *row.bar;
      else if (std::abs(*row.bar) > std::abs(largest))
        largest = *row.bar;
    }
    EXPECT_NEAR(sum, *table.rows.back().bar, 1e-4) << edit;
    EXPECT_LT(std::abs(bias), 1) << edit;
    EXPECT_EQ(std::abs(rest) > 0, key == "figure.residual.edited");
    EXPECT_EQ(now.said()[3], figure::number_text(largest, 2)) << "the largest in size";
  }
}

TEST(ViewEdited, TheEmbeddingsLastRowIsTheRuns) {
  for (const std::string name : {"model:storyteller", "model:storyteller-llama", "model:sorter"}) {
    const Opened of = opened(name);
    for (const bool changed : {false, true}) {
      const std::int64_t row = first_row(*of.model, *of.run);
      const Shown now =
          shown(of, "steps", "embed", changed ? "embed[pos=" + std::to_string(row) + "]=0.25" : "");
      EXPECT_EQ(now.key() == "figure.steps.embed.edited", changed) << name;
      const figure::MatrixMark& mark = large_row(now);
      for (std::int64_t dim = 0; dim < mark.values.size(1); ++dim) {
        const float run =
            now.run->slice(site_of(StepRole::embedding), 0, {row, row + 1}, {dim, dim + 1}).at(0, 0);
        EXPECT_NEAR(mark.values.at(mark.values.size(0) - 1, dim), run, 1e-6) << name;
      }
    }
  }
}

TEST(ViewEdited, AnEditedRowOfPlacesIsNotLearned) {
  const Opened of = opened("model:storyteller");
  EXPECT_EQ(shown(of, "position", "", "").key(), "figure.position.learned");
  const Shown now = shown(of, "position", "", "pos_embed[pos=13]=1");
  EXPECT_EQ(now.key(), "figure.position.learned.edited");
  // A row of ones is as alike to each other row as the sum of that row divided by the two lengths.
  const auto& alike = mark_of<figure::MatrixMark>(now.figure, "similar");
  const Tensor table = now.run->slice(site_of(StepRole::position), 0, {0, 14}, {0, 64});
  double sum = 0, square = 0;
  for (std::int64_t dim = 0; dim < 64; ++dim) {
    sum += static_cast<double>(table.at(3, dim));
    square += std::pow(static_cast<double>(table.at(3, dim)), 2);
  }
  EXPECT_NEAR(static_cast<double>(alike.values.at(13, 3)), sum / std::sqrt(square) / 8, 1e-5);
}

TEST(ViewEdited, EqualOutputsHaveNoFavourite) {
  const Opened of = opened("model:storyteller");
  EXPECT_EQ(shown(of, "output", "", "logits[pos=13]=0").key(), "figure.output.alike");
  EXPECT_EQ(shown(of, "output", "", "logits[pos=13]=0").said()[8],
            std::to_string(of.run->config().outputs()));
  EXPECT_EQ(shown(of, "steps", "word", "logits[pos=13]=0").key(), "figure.steps.word.alike");
  EXPECT_NE(shown(of, "output", "", "").key(), "figure.output.alike");
  EXPECT_EQ(shown(of, "steps", "word", "").key(), "figure.steps.word");
}

}  // namespace
}  // namespace attnscope::testing
