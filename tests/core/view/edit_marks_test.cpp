// What an edit touched carries an outline wherever it is shown, and nothing else does.
#include "core/view/edit_marks.h"

#include "core/session/typed_words.h"
#include "core/step/place.h"
#include "core/view/cell_sum.h"
#include "core/view/opening_row.h"
#include "tests/core/view/opened.h"

namespace attnscope::testing {
namespace {

using figure::MatrixMark;

ViewState looked_at(const Opened& of, const std::string& edit, const std::string& page = {}) {
  ViewState out = first_state(*of.model, edit.empty() ? of.run : edited(of, edit));
  out.before = of.run, out.layer = 1, out.head = 3, out.page = page, out.level = Level::easy;
  return out;
}
figure::Figure drawn_edited(const Opened& of, const std::string& view, const std::string& edit,
                            const std::string& page = {}) {
  auto out = draw_view(**find_view(view), looked_at(of, edit, page));
  EXPECT_TRUE(out) << view << " " << edit;
  return *out;
}
// "1,2 1x1" of every outline of a matrix.
std::string outlines(const figure::Figure& figure, std::string_view part) {
  std::string out;
  for (const MatrixMark::Block& one : mark_of<MatrixMark>(figure, part).edited)
    out += (out.empty() ? "" : " ") + std::to_string(one.row) + "," + std::to_string(one.col) + ":" +
           std::to_string(one.rows) + "x" + std::to_string(one.cols);
  return out;
}

TEST(EditMarks, ACellOfAttentionIsMarkedInEveryPictureOfIt) {
  const Opened of = opened("model:storyteller");
  for (const char* stage : {"pattern", "masked"}) {
    const std::string edit = std::string("blocks.1.attn.") + stage +
                             "[head=3,query=13,key=2]=" + (std::string(stage) == "masked" ? "-inf" : "0");
    const figure::Figure attention = drawn_edited(of, "attention", edit),
                         mask = drawn_edited(of, "mask", edit),
                         film = drawn_edited(of, "steps", edit, "softmax");
    EXPECT_EQ(outlines(attention, "pattern"), "13,2:1x1") << stage;
    EXPECT_EQ(outlines(attention, "row"), "0,2:1x1") << stage;
    EXPECT_EQ(outlines(mask, "pattern"), "") << "not among the six columns beside each other";
    EXPECT_NE(outlines(mask, "row").find("2,2:1x1"), std::string::npos) << outlines(mask, "row");
    EXPECT_EQ(outlines(mask, "scores"), "") << stage;
    EXPECT_NE(outlines(film, "row").find("2,2:1x1"), std::string::npos) << outlines(film, "row");
    EXPECT_NE(outlines(drawn_edited(of, "steps", edit, "values"), "row"), "") << stage;
  }
  EXPECT_EQ(outlines(drawn_edited(of, "attention", ""), "pattern"), "");
  // Another row of the same head.
  const std::string other = "blocks.1.attn.pattern[head=3,query=9,key=1]=0";
  EXPECT_EQ(outlines(drawn_edited(of, "attention", other), "pattern"), "9,1:1x1");
  EXPECT_EQ(outlines(drawn_edited(of, "attention", other), "row"), "");
  // Another head.
  EXPECT_EQ(
      outlines(drawn_edited(of, "attention", "blocks.1.attn.pattern[head=2,query=13,key=2]=0"), "pattern"),
      "");
}

TEST(EditMarks, ASwitchedCellOfAMaskIsMarked) {
  const Opened of = opened("model:storyteller");
  Document document = new_document(of.model);
  document.edits.push_back(make_edit(MaskEdit{AttentionKind::main, {}, {{5, 2, false}}}));
  const auto runs = run_all(document, {}, {});
  ASSERT_TRUE(runs);
  ViewState state = looked_at(of, "");
  state.run = runs->front(), state.level = Level::full;
  const auto figure = draw_view(**find_view("mask"), state);
  ASSERT_TRUE(figure);
  EXPECT_EQ(outlines(*figure, "allowed"), "5,2:1x1");
  EXPECT_EQ(outlines(*figure, "scores"), "");
}

TEST(EditMarks, EmptiedKeysAndValuesHeadsPartsAndNeuronsAreMarked) {
  const Opened of = opened("model:storyteller");
  const figure::Figure kv = drawn_edited(of, "kv", "blocks.1.attn.v[pos=2]=0");
  const std::int64_t wide = mark_of<MatrixMark>(kv, "values").values.size(1);
  EXPECT_EQ(outlines(kv, "values"), "2,0:1x" + std::to_string(wide));
  EXPECT_EQ(outlines(kv, "keys"), "");
  EXPECT_EQ(outlines(drawn_edited(of, "ask", "blocks.0.attn.z[head=2]=0"), "lost"), "0,2:1x1");
  const figure::Figure residual = drawn_edited(of, "residual", "blocks.1.attn.out[pos=13]=0");
  int marked = 0;
  for (const auto& row : mark_of<figure::TableMark>(residual, "waterfall").rows) {
    marked += row.edited ? 1 : 0;
    EXPECT_EQ(row.edited, row.of == "blocks.1.attn.out[pos=13]") << row.of;
  }
  EXPECT_EQ(marked, 1);
  // A neuron that is silenced adds nothing, and still has its row.
  const std::string first = mark_of<figure::TableMark>(drawn_edited(of, "mlp", ""), "neurons").rows[0].of;
  const figure::Figure silenced = drawn_edited(of, "mlp", first + "=0");
  marked = 0;
  for (const auto& row : mark_of<figure::TableMark>(silenced, "neurons").rows) {
    marked += row.edited ? 1 : 0;
    EXPECT_EQ(row.edited, row.of == first) << row.of;
  }
  EXPECT_EQ(marked, 1);
}

// However many keys there are, the one that was edited keeps a cell of its own; small weights keep digits.
TEST(EditMarks, AnEditedKeyComesFirstAndSmallWeightsAreWrittenOut) {
  const Opened of = opened("model:storyteller");
  const figure::Figure figure =
      drawn_edited(of, "attention", "blocks.1.attn.pattern[head=3,query=13,key=2]=0");
  const auto& row = mark_of<MatrixMark>(figure, "row");
  EXPECT_EQ(row.order.front(), 2);
  EXPECT_EQ(row.digits, 4);
  EXPECT_EQ(mark_of<MatrixMark>(drawn_edited(of, "attention", ""), "row").digits, 2);
  EXPECT_EQ(weight_digits({0, 0, 0}), 2);
}

TEST(FilmSums, ANumberSaysWhatItIsMadeOf) {
  const Opened of = opened("model:storyteller");
  const figure::Figure scores = drawn_edited(of, "steps", "", "scores");
  const auto& products = mark_of<MatrixMark>(scores, "products");
  const auto number = [&](const MatrixMark& matrix, std::int64_t row, std::int64_t col) {
    return figure::number_text(static_cast<double>(matrix.values.at(row, col)), matrix.row(row).digits);
  };
  for (std::int64_t col = 0; col < products.values.size(1); ++col)
    EXPECT_EQ(cell_sum(*of.run, products, 2, col),
              number(products, 0, col) + " × " + number(products, 1, col) + " = " + number(products, 2, col));
  const figure::Figure sums = drawn_edited(of, "steps", "", "sum");
  const auto& rows = mark_of<MatrixMark>(sums, "row");
  ASSERT_EQ(rows.values.size(0), 4);
  const std::string said = cell_sum(*of.run, rows, 3, 0);
  EXPECT_TRUE(said.starts_with(number(rows, 0, 0))) << said;
  EXPECT_TRUE(said.ends_with(" = " + number(rows, 3, 0))) << said;
  EXPECT_EQ(cell_sum(*of.run, rows, 4, 0), "");
  const figure::Figure mlp = drawn_edited(of, "steps", "", "mlp");
  const auto& result = mark_of<MatrixMark>(mlp, "row");  // of no rows above it: by what the run made it of
  EXPECT_NE(cell_sum(*of.run, result, 0, 0).find(" × "), std::string::npos);
  EXPECT_TRUE(cell_sum(*of.run, result, 0, 0).ends_with(" = " + number(result, 0, 0)));
}

TEST(FilmSums, TheStreamTakesInWhatTheHeadsAdd) {
  int split = 0;
  for_every_row([&](const ViewState& state, const std::string& where) {
    ViewState at = state;
    at.page = "sum";
    const auto stations = (*find_view("steps"))->stations(state);
    if (std::none_of(stations.begin(), stations.end(), [](const auto& one) { return one.id == "sum"; }))
      return;
    const auto figure = draw_view(**find_view("steps"), at);
    ASSERT_TRUE(figure) << where;
    const auto& rows = mark_of<MatrixMark>(*figure, "row");
    split += rows.values.size(0) == 4 ? 1 : 0;
    const std::int64_t last = rows.values.size(0) - 1;
    for (std::int64_t dim = 0; dim < rows.values.size(1); ++dim) {
      double sum = 0;
      for (std::int64_t row = 0; row < last; ++row) sum += static_cast<double>(rows.values.at(row, dim));
      EXPECT_NEAR(sum, static_cast<double>(rows.values.at(last, dim)), 2e-3) << where;
    }
  });
  EXPECT_GT(split, 0);
}

TEST(FilmSums, TheTrackSaysWhereTheStationIs) {
  const Opened of = opened("model:storyteller");
  const auto here = [&](const std::string& page) {
    const figure::Figure figure = drawn_edited(of, "steps", "", page);
    const auto& track = mark_of<figure::TrackMark>(figure, "track");
    EXPECT_EQ(track.stops.size(), 6u);
    return track.here < 0 ? std::string() : track.stops[static_cast<std::size_t>(track.here)].str();
  };
  EXPECT_EQ(here("words"), "embedding");
  EXPECT_EQ(here("softmax"), "attention 1");
  EXPECT_EQ(here("sum"), "attention 1");
  EXPECT_EQ(here("mlp"), "MLP 1");
  EXPECT_EQ(here("word"), "output");
}

TEST(TypedWords, AWordThatIsNotKnownAppearsAsTyped) {
  const Opened of = opened("model:storyteller");
  Document document = new_document(of.model);
  ASSERT_TRUE(set_text(document, 0, "The zebra sat on the yak"));
  auto runs = run_all(document, {}, {});
  ASSERT_TRUE(runs);
  ViewState state = first_state(*of.model, runs->front());
  EXPECT_EQ(row_label(*of.model, *state.run, Stack::single, 2), "zebra");
  EXPECT_EQ(row_label(*of.model, *state.run, Stack::single, 6), "yak");
  EXPECT_EQ(row_names(state, Stack::single, figure::Ink::key).struck, (std::vector<int>{2, 6}));
  const auto figure = draw_view(**find_view("attention"), state);
  ASSERT_TRUE(figure);
  EXPECT_EQ(sentence_of(*figure).front(), "yak");
  // Another token is changed: they stay; what takes their place does not keep their name.
  const Document before = document;
  ASSERT_TRUE(replace_token(document, 0, 3, state.run->input.ids[1]));
  EXPECT_EQ(typed_words(*of.model, document.sequences.front(), Stack::single).size(), 2u);
  ASSERT_TRUE(insert_token(document, 0, 1, state.run->input.ids[1]));
  EXPECT_EQ(typed_words(*of.model, document.sequences.front(), Stack::single).at(3), "zebra");
  ASSERT_TRUE(replace_token(document, 0, 3, state.run->input.ids[1]));
  EXPECT_FALSE(typed_words(*of.model, document.sequences.front(), Stack::single).contains(3));
  // The same ids under another name are no result that could be kept.
  Document renamed = before;
  ASSERT_TRUE(set_text(renamed, 0, "The okapi sat on the yak"));
  EXPECT_EQ(renamed.sequences.front().input.ids, before.sequences.front().input.ids);
  EXPECT_FALSE(same_computation(renamed, before));
  EXPECT_TRUE(same_computation(before, before));
}

TEST(TypedWords, WordsThatStandTwiceHaveTheirPlaceBehindThem) {
  const Opened of = opened("model:storyteller");
  const ViewState state = first_state(*of.model, of.run);
  EXPECT_EQ(told_apart(state, Stack::single, 13).str(), "the 13");
  EXPECT_EQ(told_apart(state, Stack::single, 2).str(), "cat");
  EXPECT_EQ(names_apart(state, Stack::single, figure::Ink::key).labels[5].str(), "the 5");
  EXPECT_EQ(row_names(state, Stack::single, figure::Ink::key).labels[5].str(), "the");
}

TEST(OpeningHead, TheEasyFigureLooksWhereTheWindowDoes) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, of.run);
  EXPECT_EQ(state.layer, 0);
  look_at_first_try(state);
  EXPECT_EQ(state.layer, 1);
  EXPECT_EQ(state.head, 3);
}

}  // namespace
}  // namespace attnscope::testing
