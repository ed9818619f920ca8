// A, B and B - A: the numbers are those of the two runs, the sentence says what the larger matrix shows.
#include <cmath>

#include "core/base/words.h"
#include "core/figure/drawing.h"
#include "tests/core/view/opened.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;
using figure::MatrixMark;

ViewState both(const Opened& of, const std::string& edit, int layer, std::int64_t head) {
  ViewState state = first_state(*of.model, edited(of, edit));
  state.before = of.run, state.compare = true, state.layer = layer, state.head = head;
  return state;
}

TEST(ViewCompared, ThreeMatricesAndThreeRowsAreThoseOfTheRuns) {
  const Opened of = opened("model:storyteller");
  const ViewState state = both(of, "blocks.0.attn.z*=0", 1, 3);
  const auto figure = draw_view(**find_view("attention"), state);
  ASSERT_TRUE(figure);
  const auto &a = mark_of<MatrixMark>(*figure, "a"), &b = mark_of<MatrixMark>(*figure, "b"),
             &minus = mark_of<MatrixMark>(*figure, "minus"), &row = mark_of<MatrixMark>(*figure, "row");
  const Site site = state.place.pattern(1);
  double most = 0;
  for (std::int64_t query = 0; query < a.values.size(0); ++query) {
    for (std::int64_t key = 0; key <= query; ++key) {
      const float then = of.run->cell(site, {3, query, key}), now = state.run->cell(site, {3, query, key});
      EXPECT_EQ(a.values.at(query, key), then);
      EXPECT_EQ(b.values.at(query, key), now);
      EXPECT_EQ(minus.values.at(query, key), now - then);
      most = std::max(most, std::abs(static_cast<double>(now - then)));
      if (query != state.row) continue;
      EXPECT_EQ(row.values.at(0, key), then);
      EXPECT_EQ(row.values.at(1, key), now);
      EXPECT_EQ(row.values.at(2, key), now - then);
    }
  }
  EXPECT_GT(most, 0.1);
  EXPECT_FALSE(find_part(*figure, "answer"));
  EXPECT_TRUE(a.of.empty());  // A is not edited by dragging its cells
  EXPECT_FALSE(b.of.empty());
}

// Below the three matrices the edited cell is outlined in B's row, too, and a click on it finds it in the
// run.
TEST(ViewCompared, TheRowOfBHasTheOutlineOfTheEdit) {
  const Opened of = opened("model:storyteller");
  ViewState state = both(of, "blocks.1.attn.pattern[head=3,query=13,key=2]=0", 1, 3);
  state.row = 13;
  const auto figure = draw_view(**find_view("attention"), state);
  ASSERT_TRUE(figure);
  const auto& row = mark_of<MatrixMark>(*figure, "row");
  ASSERT_EQ(row.edited.size(), 1u);
  EXPECT_EQ(row.edited[0].row, 1);
  EXPECT_EQ(row.edited[0].col, 2);
  const auto cell = cell_of(*state.run, row, 1, 2);
  ASSERT_TRUE(cell);
  EXPECT_EQ(to_text(*cell), "blocks.1.attn.pattern[head=3,query=13,key=2]");
  EXPECT_FALSE(cell_of(*state.run, row, 0, 2)) << "A is not edited";
}

TEST(ViewCompared, TheRowsThatChangedComeLargestFirst) {
  const Opened of = opened("model:storyteller");
  const ViewState state = both(of, "blocks.0.attn.z*=0", 1, 3);
  const auto figure = draw_view(**find_view("attention"), state);
  ASSERT_TRUE(figure);
  const std::vector<RowChange> changes = largest_changes(*figure);
  const Site site = state.place.pattern(1);
  std::size_t expected = 0;
  for (std::int64_t query = 0; query < state.run->length; ++query) {
    double most = 0;
    for (std::int64_t key = 0; key <= query; ++key)
      most = std::max(most, std::abs(static_cast<double>(state.run->cell(site, {3, query, key})) -
                                     static_cast<double>(of.run->cell(site, {3, query, key}))));
    const auto found =
        std::find_if(changes.begin(), changes.end(), [&](const RowChange& one) { return one.row == query; });
    ASSERT_EQ(found != changes.end(), most >= 0.005) << query;  // what two digits show
    if (found == changes.end()) continue;
    ++expected;
    EXPECT_NEAR(found->by, most, 1e-6);
    EXPECT_EQ(static_cast<float>(found->a), of.run->cell(site, {3, query, found->col}));
    EXPECT_EQ(static_cast<float>(found->b), state.run->cell(site, {3, query, found->col}));
  }
  EXPECT_GT(expected, 3U);
  EXPECT_EQ(changes.size(), expected);
  for (std::size_t at = 1; at < changes.size(); ++at) EXPECT_LE(changes[at].by, changes[at - 1].by);
  EXPECT_TRUE(largest_changes(*draw_view(**find_view("mlp"), state)).empty());
}

TEST(ViewCompared, TheSentenceNamesTheCellsOfTheRow) {
  for (const int layer : {0, 1}) {
    const Opened of = opened("model:storyteller");
    for (std::int64_t head = 0; head < 4; ++head) {
      const ViewState state = both(of, "blocks.0.attn.z*=0", layer, head);
      const auto figure = draw_view(**find_view("attention"), state);
      ASSERT_TRUE(figure);
      const auto& row = mark_of<MatrixMark>(*figure, "row");
      const auto largest = [&](std::int64_t line, bool signless) {
        std::int64_t out = 0;
        for (std::int64_t col = 0; col < row.values.size(1); ++col) {
          const float value = row.values.at(line, col), best = row.values.at(line, out);
          if (signless ? std::abs(value) > std::abs(best) : value > best) out = col;
        }
        return out;
      };
      const auto name = [&](std::int64_t col) {
        return row.cols.labels[static_cast<std::size_t>(col)].str();
      };
      const std::vector<std::string> said = sentence_of(*figure);
      const std::string key = sentence_key(*figure);
      const std::int64_t then = largest(0, false), now = largest(1, false), change = largest(2, true);
      if (layer == 0) {  // before the edit
        EXPECT_EQ(key, "figure.compare.same");
      } else if (then != now && row.values.at(1, now) >= 0.1f) {
        EXPECT_EQ(key, "figure.compare.moved");
        EXPECT_EQ(said[1], name(then));
        EXPECT_EQ(said[3], name(now));
      } else if (std::abs(row.values.at(2, change)) >= 0.005f) {
        EXPECT_EQ(key, "figure.compare.changed");
        EXPECT_EQ(said[1], name(change));
        EXPECT_EQ(said[2], figure::number_text(static_cast<double>(row.values.at(0, change)), 2));
        EXPECT_EQ(said[3], figure::number_text(static_cast<double>(row.values.at(1, change)), 2));
      }
    }
  }
}

TEST(ViewCompared, TextsOfTwoLengthsStandBesideEachOther) {
  const Opened of = opened("model:storyteller");
  Document shorter = new_document(of.model);
  shorter.sequences.front().input.ids.pop_back();
  const auto runs = run_all(shorter, {}, {});
  ASSERT_TRUE(runs);
  ViewState state = first_state(*of.model, of.run);
  state.before = runs->front(), state.compare = true;
  const auto figure = draw_view(**find_view("attention"), state);
  ASSERT_TRUE(figure);
  EXPECT_EQ(sentence_key(*figure), "figure.compare.shapes");
  EXPECT_TRUE(find_part(*figure, "a") && find_part(*figure, "b") && !find_part(*figure, "minus"));
}

TEST(ViewCompared, FitsWindowAndProjectorInBothLanguages) {
  for_every_row([](const ViewState& at, const std::string& where) {
    if (at.row % 7 != 0) return;
    for (const ViewSpec* view : view_specs()) {
      if (!view->model) continue;
      ViewState state = at;
      state.compare = true;
      const auto figure = draw_view(*view, state);
      if (!figure) continue;
      const figure::Measure measure;
      for (const std::string& lang : languages()) {
        ASSERT_TRUE(set_language(lang));
        for (const figure::LetterSizes* look : {&figure::kWindowLetters, &figure::kPresenterLetters}) {
          const figure::Placed placed = place(*figure, 1280, 720, *look, measure);
          EXPECT_TRUE(placed.overflows.empty()) << where << " " << view->id;
          const auto faults = faults_of(draw(placed, *look, measure, true), measure);
          EXPECT_TRUE(faults.empty())
              << where << " " << view->id << " " << faults.front().what << " " << faults.front().text;
        }
      }
      ASSERT_TRUE(set_language("en"));
    }
  });
}

}  // namespace
}  // namespace attnscope
