// The stations of one token: their numbers are cells of the run, and what they add up to is the next one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "core/base/words.h"
#include "core/figure/drawing.h"
#include "core/lens/attention_row.h"
#include "tests/core/view/opened.h"

namespace attnscope::testing {
namespace {

figure::Figure station_of(ViewState state, const std::string& page) {
  state.page = page;
  const auto view = find_view("steps");
  EXPECT_TRUE(view);
  auto figure = draw_view(**view, state);
  EXPECT_TRUE(figure) << page;
  return *figure;
}
double sum_of_row(const figure::MatrixMark& matrix, std::int64_t row) {
  double out = 0;
  for (std::int64_t col = 0; col < matrix.values.size(1); ++col)
    out += static_cast<double>(matrix.values.at(row, col));
  return out;
}
std::vector<Station> stations(const ViewState& state) { return (*find_view("steps"))->stations(state); }
bool has_station(const ViewState& state, const std::string& id) {
  for (const Station& station : stations(state))
    if (station.id == id) return true;
  return false;
}

TEST(Steps, ProductsAddUpToTheScoreOfTheStrongestKey) {
  for (const char* name : {"model:storyteller", "model:storyteller-llama"}) {
    const Opened of = opened(name);
    ViewState state = first_state(*of.model, of.run);
    for (state.row = 0; state.row < of.run->length; ++state.row) {
      const figure::Figure figure = station_of(state, "scores");
      const Site pattern = state.place.pattern(0);
      const auto row = attention_row(*of.run, pattern, 0, state.row);
      ASSERT_TRUE(row);
      const auto key = static_cast<std::size_t>(strongest_key(*of.run, pattern, 0, state.row));
      EXPECT_NEAR(sum_of_row(mark_of<figure::MatrixMark>(figure, "products"), 2), row->terms[key].score,
                  1e-3);
      EXPECT_EQ(sentence_key(figure), "figure.steps.scores.root");
    }
  }
}

TEST(Steps, SoftmaxOfTheScoresShownIsTheRowOfWeights) {
  for_every_row([](const ViewState& state, const std::string& where) {
    if (!has_station(state, "softmax")) return;
    const figure::Figure figure = station_of(state, "softmax");
    const auto& rows = mark_of<figure::MatrixMark>(figure, "row");
    const std::int64_t weights = rows.values.size(0) - 1, scores = weights - 1;
    double sum = 0;
    for (std::int64_t key = 0; key < rows.values.size(1); ++key)
      sum += std::exp(static_cast<double>(rows.values.at(scores, key)));
    for (std::int64_t key = 0; key < rows.values.size(1); ++key) {
      EXPECT_NEAR(std::exp(static_cast<double>(rows.values.at(scores, key))) / sum,
                  static_cast<double>(rows.values.at(weights, key)), 1e-4)
          << where;
      if (scores > 0 &&
          std::isfinite(rows.values.at(1, key))) {  // the raw ones, scaled by the text of the row
        const double root = std::stod(rows.rows.labels[1].arguments().front().str());
        EXPECT_NEAR(static_cast<double>(rows.values.at(0, key)) / std::sqrt(root),
                    static_cast<double>(rows.values.at(1, key)), 2e-3)
            << where;
      }
    }
  });
}

TEST(Steps, WeightedValuesAddUpToWhatTheHeadGivesOrTheSentenceSaysNot) {
  int edited_rows = 0;
  for_every_row([&](const ViewState& state, const std::string& where) {
    if (!has_station(state, "values")) return;
    const figure::Figure figure = station_of(state, "values");
    // The weighted values, where an edit changed what follows their sum, and what the head gives.
    const Tensor& rows = mark_of<figure::MatrixMark>(figure, "row").values;
    const bool said = sentence_key(figure) == "figure.steps.values.edited";
    const std::int64_t parts = rows.size(0) - (said ? 2 : 1);
    double most = 0;
    for (std::int64_t dim = 0; dim < rows.size(1); ++dim) {
      double sum = 0;
      for (std::int64_t part = 0; part < parts; ++part) sum += static_cast<double>(rows.at(part, dim));
      if (said) {
        EXPECT_NEAR(sum, static_cast<double>(rows.at(parts, dim)), 1e-4) << where;
      }
      most = std::max(most, std::abs(sum - static_cast<double>(rows.at(rows.size(0) - 1, dim))));
    }
    const auto row = attention_row(*state.run, state.place.pattern(0), 0, state.row);
    ASSERT_TRUE(row);
    std::int64_t handing = 0;
    for (const AttentionTerm& term : row->terms) handing += term.weight > 0 ? 1 : 0;
    EXPECT_EQ(sentence_of(figure)[3], std::to_string(handing)) << where;
    if (most > 0.05) {
      EXPECT_TRUE(said) << where;
    }
    if (most < 1e-3) {
      EXPECT_FALSE(said) << where;
    }
    edited_rows += said ? 1 : 0;
  });
  EXPECT_GT(edited_rows, 0);
}

TEST(Steps, EachStationDrawsAndTheMatricesNameCellsOfTheRun) {
  for (const std::string& name : kShippedForViews) {
    const Opened of = opened(name);
    const ViewState state = first_state(*of.model, of.run);
    const std::vector<Station> all = stations(state);
    ASSERT_GE(all.size(), 5u) << name;
    int named = 0;
    for (const Station& station : all) {
      const figure::Figure figure = station_of(state, station.id);
      for (const figure::Part* part : figure::parts_of(figure)) {
        const auto* matrix = std::get_if<figure::MatrixMark>(&part->mark);
        for (std::int64_t row = 0; matrix && row < matrix->values.size(0); ++row) {
          const std::string place = matrix->row(row).of;
          if (place.empty()) continue;
          const auto cell = cell_of(*of.run, *matrix, row, 1);
          ASSERT_TRUE(cell) << name << station.id << place;
          const auto value = of.run->tensor(*cell);
          ASSERT_TRUE(value);
          ++named;
          if (std::isfinite(matrix->values.at(row, 1))) {
            EXPECT_NEAR(value->data()[0], matrix->values.at(row, 1), 1e-4f) << name << place;
          }
        }
      }
    }
    EXPECT_GE(named, 6) << name;
  }
}

TEST(Steps, ADecoderLooksAtItsOwnRowsAndThenAtTheSource) {
  const Opened of = opened("model:translator");
  ViewState state = first_state(*of.model, of.run);
  state.place = {of.run->config().stack, Part::attn};
  std::vector<std::string> ids;
  for (const Station& station : stations(state)) ids.push_back(station.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"words", "embed", "scores", "softmax", "values", "cross_scores",
                                           "cross_softmax", "cross_values", "sum", "mlp", "word"}));
  const Site pattern = cross_site(slot_of(StepRole::pattern), state.layer, state.place.stack);
  for (state.row = 0; state.row < of.run->rows(state.place.stack); ++state.row) {
    const figure::Figure figure = station_of(state, "cross_softmax");
    const Tensor& shown = mark_of<figure::MatrixMark>(figure, "row").values;
    const Tensor weights =
        of.run->slice(pattern, 0, {state.row, state.row + 1}, {0, of.run->rows(Stack::enc)});
    ASSERT_EQ(shown.size(1), of.run->rows(Stack::enc));
    for (std::int64_t key = 0; key < shown.size(1); ++key)
      EXPECT_EQ(shown.at(shown.size(0) - 1, key), weights.at(0, key)) << state.row << " " << key;
  }
  // The same film where the cross-attention is the one that is looked at; the encoder's has none.
  state.row = 0, state.place.part = Part::cross;
  EXPECT_EQ(stations(state).size(), ids.size());
  state.place = {Stack::enc, Part::attn};
  EXPECT_FALSE(has_station(state, "cross_softmax"));
}

TEST(Steps, AStationThatTheRunLacksIsAnError) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, of.run);
  state.page = "cross";
  const auto view = find_view("steps");
  ASSERT_TRUE(view);
  EXPECT_FALSE(draw_view(**view, state));
}

// Every station says what the next one does, and its formula is written with the numbers of the run.
TEST(Steps, SaysWhatComesNext) {
  for (const char* name : {"model:storyteller", "model:translator", "model:pilot"}) {
    const Opened of = opened(name);
    const ViewState state = first_state(*of.model, of.run);
    const std::vector<Station> all = stations(state);
    const bool writes = answer_title(state, answer_row(state)).front().key() == "figure.answer.word";
    for (std::size_t at = 0; at < all.size(); ++at) {
      const figure::Figure figure = station_of(state, all[at].id);
      const bool last = at + 1 == all.size();
      const figure::Part* next = figure::find_part(figure, "next_what");
      ASSERT_EQ(next == nullptr, last && !writes) << name << " " << all[at].id;
      if (!next) continue;
      const Text& said = std::get<figure::WordsMark>(next->mark).forms.front();
      EXPECT_EQ(said.key(), "figure.steps.next." + (last ? "again" : all[at + 1].id)) << name;
      EXPECT_TRUE(said.has_words()) << said.key();
    }
  }
}

TEST(Steps, TheSumOfAFormulaIsThatOfItsWrittenNumbers) {
  for (const char* name : {"model:storyteller", "model:translator", "model:gap-filler"}) {
    const Opened of = opened(name);
    const ViewState state = first_state(*of.model, of.run);
    for (const char* page : {"embed", "sum"}) {
      const figure::Figure figure = station_of(state, page);
      const figure::Part* part = figure::find_part(figure, "formula");
      ASSERT_NE(part, nullptr) << name << " " << page;
      const Text& text = std::get<figure::WordsMark>(part->mark).forms.front();
      const std::string sum = text.arguments()[1].str();  // "0.332 − 0.004 = 0.328"
      double all = 0, sign = 1;
      std::string number;
      std::istringstream words(sum);
      for (std::string word; words >> word;) {
        if (word == "=") break;
        if (word == "+" || word == "\u2212") {
          sign = word == "+" ? 1 : -1;
          continue;
        }
        const bool minus = word.starts_with("\u2212");
        all += sign * (minus ? -1 : 1) * std::stod(minus ? word.substr(3) : word);
      }
      std::string result;
      words >> result;
      const bool minus = result.starts_with("\u2212");
      EXPECT_NEAR(all, (minus ? -1 : 1) * std::stod(minus ? result.substr(3) : result), 1e-9) << sum;
    }
  }
}

// On a projector, too, a sum and what comes next are one line each: a sum that is too long is said shorter.
TEST(Steps, PresentedASumIsOneLine) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, of.run);
  state.level = Level::easy, state.layer = 1, state.head = 3;
  const figure::Measure measure;
  for (const std::string& language : languages()) {
    ASSERT_TRUE(set_language(language));
    for (const Station& station : stations(state)) {
      const figure::Figure figure = station_of(state, station.id);
      const figure::Placed placed = figure::place(figure, 1280, 720, figure::kPresenterLetters, measure);
      const figure::Drawing drawing = figure::draw(placed, figure::kPresenterLetters, measure, true);
      for (const char* part : {"formula", "next_what"}) {
        const auto lines =
            std::count_if(drawing.shapes.begin(), drawing.shapes.end(), [&](const figure::DrawnShape& shape) {
              return shape.part == part && shape.kind == figure::DrawnShape::Kind::text;
            });
        EXPECT_LE(lines, 1) << part << " " << station.id << " " << language;
      }
    }
  }
  ASSERT_TRUE(set_language("en"));
}

// At 1280x720, between the question and what is to be tried: no empty half, and cells to be read from afar.
TEST(Steps, FillsTheStageOfASmallWindow) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, of.run);
  state.level = Level::easy, state.layer = 1, state.head = 3;
  for (const Station& station : stations(state)) {
    state.page = station.id;
    const auto figure = draw_view(**find_view("steps"), state, false);
    ASSERT_TRUE(figure);
    const figure::Placed placed =
        figure::place(*figure, 1260, 470, figure::kWindowLetters, figure::Measure());
    EXPECT_TRUE(placed.overflows.empty()) << station.id;
    for (const figure::PlacedPart& part : placed.parts) {
      const auto* matrix = std::get_if<figure::MatrixMark>(&part.part->mark);
      if (!matrix) continue;
      const float tall = part.cells.h / static_cast<float>(matrix->values.size(0));
      EXPECT_GE(tall, matrix->values.size(0) <= 2 && !matrix->bars && station.id != "scores" ? 50.f : 33.f)
          << station.id;
    }
    const figure::Drawing drawing = figure::draw(placed, figure::kWindowLetters, figure::Measure(), true);
    EXPECT_TRUE(std::any_of(
        drawing.shapes.begin(), drawing.shapes.end(),
        [](const figure::DrawnShape& shape) { return shape.part == "next_what" && shape.em >= 22; }))
        << station.id;
  }
}

}  // namespace
}  // namespace attnscope::testing
