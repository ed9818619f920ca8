// Who may look: the counts of the sentence are those of the run's own terms, for every row, edited or not.
#include "core/lens/attention_row.h"
#include "tests/core/view/opened.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

void expect_mask(const ViewState& state, const std::string& where) {
  const auto figure = draw_view(**find_view("mask"), state);
  ASSERT_TRUE(figure) << where;
  const std::vector<std::string> said = sentence_of(*figure);
  const auto row = attention_row(*state.run, state.place.pattern(state.layer), state.head, state.row);
  ASSERT_TRUE(row) << where;
  std::int64_t open = 0, before = 0, keys = std::ssize(row->terms);
  const auto& mask = mark_of<figure::MatrixMark>(*figure, "allowed");
  for (std::int64_t key = 0; key < keys; ++key) {
    const bool allowed = row->terms[static_cast<std::size_t>(key)].allowed;
    EXPECT_EQ(mask.values.at(state.row, key) > 0, allowed) << where << " key " << key;
    open += allowed, before += !allowed && key < state.row;
  }
  EXPECT_EQ(said[1], std::to_string(open)) << where;
  EXPECT_EQ(said[2], std::to_string(keys)) << where;
  EXPECT_EQ(said[3], std::to_string(before)) << where;
  EXPECT_EQ(said[4], std::to_string(keys - open - before)) << where;
  const std::string key = sentence_key(*figure);
  if (key == "figure.mask.future") {
    EXPECT_EQ(open, state.row + 1) << where;
  }
  if (key == "figure.mask.all" || key == "figure.mask.last" || key == "figure.mask.everybody") {
    EXPECT_EQ(open, keys) << where;
  }
}

TEST(ViewMask, CountsTheOpenKeysOfEveryRow) { for_every_row(expect_mask); }

TEST(ViewMask, SaysWhyKeysAreHidden) {
  const auto key_at = [](const Opened& of, std::shared_ptr<const Trace> run, std::int64_t row) {
    ViewState state = first_state(*of.model, std::move(run));
    state.row = row;
    expect_mask(state, "row " + std::to_string(row));
    return sentence_key(*draw_view(**find_view("mask"), state));
  };
  const Opened causal = opened("model:storyteller");
  EXPECT_EQ(key_at(causal, causal.run, 3), "figure.mask.future");
  EXPECT_EQ(key_at(causal, causal.run, causal.run->length - 1), "figure.mask.last");
  const Opened both_ways = opened("model:gap-filler");
  EXPECT_EQ(key_at(both_ways, both_ways.run, 3), "figure.mask.everybody");
  Document document = new_document(causal.model);
  set_mask_cell(document, 3, 1, false);  // not by the model's own rule
  const auto runs = run_all(document, {}, {});
  ASSERT_TRUE(runs);
  EXPECT_EQ(key_at(causal, runs->front(), 3), "figure.mask.around");
  EXPECT_EQ(key_at(causal, runs->front(), 4), "figure.mask.future");
  set_mask_cell(document, 3, 3, false);  // nor does it see itself
  const auto blind = run_all(document, {}, {});
  ASSERT_TRUE(blind);
  EXPECT_EQ(key_at(causal, blind->front(), 3), "figure.mask.hidden");
}

TEST(ViewMask, ACellOfTheMaskIsOneOfTheMaskStep) {
  const Opened of = opened("model:storyteller");
  const ViewState state = first_state(*of.model, of.run);
  const auto figure = draw_view(**find_view("mask"), state);
  ASSERT_TRUE(figure);
  const auto cell = cell_of(*of.run, mark_of<figure::MatrixMark>(*figure, "allowed"), 3, 1);
  ASSERT_TRUE(cell);
  EXPECT_EQ(to_text(*cell), "blocks.0.attn.mask[query=3,key=1]");
}

TEST(ViewMask, ScoresAndMaskMakeTheMaskedScores) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, of.run);
  state.level = Level::easy;
  const auto figure = draw_view(**find_view("mask"), state);
  ASSERT_TRUE(figure);
  const auto &scores = mark_of<figure::MatrixMark>(*figure, "scores"),
             &masked = mark_of<figure::MatrixMark>(*figure, "masked"),
             &mask = mark_of<figure::MatrixMark>(*figure, "allowed");
  for (std::int64_t query = 0; query < of.run->length; ++query)
    for (std::int64_t key = 0; key < of.run->length; ++key)
      EXPECT_EQ(masked.values.at(query, key), mask.values.at(query, key) > 0
                                                  ? scores.values.at(query, key)
                                                  : -std::numeric_limits<float>::infinity());
}

}  // namespace
}  // namespace attnscope
