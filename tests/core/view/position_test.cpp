// In which order: rows that are added, waves and rotations are those of the open model.
#include <cctype>
#include <cmath>

#include "core/base/text.h"
#include "core/lens/vectors.h"
#include "core/session/try_this.h"
#include "tests/core/view/opened.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

TEST(ViewPosition, LearnedRowsAreThoseThatTheRunAdded) {
  int rows = 0;
  for_every_row([&](const ViewState& state, const std::string& where) {
    if (state.run->config().of(state.place.stack).position.kind != PositionSpec::Kind::learned) return;
    ++rows;
    const figure::Figure figure = figure_of("position", state);
    const auto& alike = mark_of<figure::MatrixMark>(figure, "similar").values;
    const Tensor& summed = mark_of<figure::MatrixMark>(figure, "row").values;  // word, place, their sum
    const Tensor place = embedding_sum(*state.run, state.place.stack, state.row).position;
    EXPECT_EQ(summed.select(0, 1).values(), place.values()) << where;
    const std::vector<std::string> said = sentence_of(figure);
    const std::int64_t nearest = std::stoll(said[3]);
    const auto added = [&](std::int64_t row) {
      return embedding_sum(*state.run, state.place.stack, row).position;
    };
    const double cosine = relation(added(state.row), added(nearest)).cosine;
    EXPECT_EQ(said[4], figure::number_text(cosine, 2)) << where;
    for (std::int64_t other = 0; other < alike.size(0); ++other) {
      const double one = relation(added(state.row), added(other)).cosine;
      EXPECT_NEAR(static_cast<double>(alike.at(state.row, other)), one, 1e-6) << where;
      if (other != state.row) {
        EXPECT_LE(one, cosine + 1e-9) << where;
      }
    }
  });
  EXPECT_GT(rows, 50);
}

TEST(ViewPosition, SinusoidsHaveTheWavesOfTheRowsThatWereAdded) {
  const Opened of = opened("model:translator");
  const ViewState state = first_state(*of.model, of.run);
  const figure::Figure figure = figure_of("position", state);
  EXPECT_EQ(sentence_key(figure), "figure.position.sinusoidal");
  const auto& plot = mark_of<figure::PlotMark>(figure, "positions");
  ASSERT_EQ(plot.series.size(), 4u);
  for (std::int64_t row = 0; row < of.run->length; ++row) {
    const Tensor added = embedding_sum(*of.run, state.place.stack, row).position;
    const auto at = static_cast<std::size_t>(4 * row);  // a point every quarter of a token
    EXPECT_NEAR(plot.series.front().points[at].second, static_cast<double>(added.at(0)), 1e-5) << row;
    EXPECT_NEAR(plot.series.back().points[at].second, static_cast<double>(added.at(31)), 1e-5) << row;
  }
  EXPECT_EQ(sentence_of(figure)[0], "6.28");
}

TEST(ViewPosition, RotationsTurnByThetaOfTheConfig) {
  const Opened of = opened("model:storyteller-llama");
  const figure::Figure figure = figure_of("position", first_state(*of.model, of.run));
  EXPECT_EQ(sentence_key(figure), "figure.position.rope");
  const double slowest = 2 * std::acos(-1.0) * std::pow(10000.0, 14.0 / 16);  // d_head 16
  EXPECT_EQ(sentence_of(figure), (std::vector<std::string>{"6.28", format_count(std::llround(slowest))}));
  const auto& plot = mark_of<figure::PlotMark>(figure, "positions");
  EXPECT_NEAR(plot.series[1].points[12].second, std::cos(3 * std::pow(10000.0, -2.0 / 16)), 1e-6);  // pair 1
}

TEST(ViewPosition, BiasesAreThoseOfTheDistance) {
  auto model = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/bloom");
  ASSERT_TRUE(model);
  Opened of{std::make_shared<const OpenedModel>(std::move(*model)), nullptr};
  const auto runs = run_all(new_document(of.model), {}, {});
  ASSERT_TRUE(runs);
  of.run = runs->front();
  const ViewState state = first_state(*of.model, of.run);
  const figure::Figure figure = figure_of("position", state);
  EXPECT_EQ(sentence_key(figure), "figure.position.bias");
  const auto& head = mark_of<figure::PlotMark>(figure, "positions").series.front();
  ASSERT_GT(head.points.size(), 2u);
  const double slope = head.points[0].second - head.points[1].second;
  EXPECT_GT(slope, 0);
  for (const auto& [back, bias] : head.points)
    EXPECT_NEAR(bias, head.points[0].second - slope * back, 1e-4) << back;
  EXPECT_EQ(sentence_of(figure)[2], figure::number_text(head.points[1].second, 2));
}

TEST(ViewPosition, WithoutPositionsItSaysSo) {
  const Opened of = opened("scene:nine_steps");
  ASSERT_FALSE(of.run->config().has_positions());
  EXPECT_EQ(sentence_key(figure_of("position", first_state(*of.model, of.run))), "figure.position.none");
}

// Vaswani et al. 2017: d = 512, sine and cosine in turn; the last pair turns by 1/10000^(510/512) a token.
TEST(ViewPosition, WithoutPositionsTheSinesOfThePaperAreDrawn) {
  const Opened of = opened("scene:nine_steps");
  const figure::Figure figure = figure_of("position", first_state(*of.model, of.run));
  EXPECT_EQ(sentence_of(figure), (std::vector<std::string>{"6.28", "60,611"}));
  const auto& plot = mark_of<figure::PlotMark>(figure, "positions");
  ASSERT_EQ(plot.series.size(), 4u);
  EXPECT_NEAR(plot.series.front().points[12].second, std::sin(3.0), 1e-9);  // place 3
  EXPECT_NEAR(plot.series.back().points[12].second, std::sin(3 / std::pow(10000.0, 510.0 / 512)), 1e-9);
}

// The four dimensions that swing most, each as the run added it.
TEST(ViewPosition, WavesOfALearnedTableAreItsColumns) {
  const Opened of = opened("model:storyteller");
  const ViewState state = first_state(*of.model, of.run);
  const figure::Figure figure = figure_of("position", state);
  const auto& plot = mark_of<figure::PlotMark>(figure, "waves");
  ASSERT_EQ(plot.series.size(), 4u);
  const Tensor added = of.run->slice(site_of(StepRole::position), 0, {0, of.run->length}, {0, 64});
  const auto spread = [&](std::int64_t dim) {
    double sum = 0, squares = 0;
    for (std::int64_t place = 0; place < added.size(0); ++place) {
      const auto value = static_cast<double>(added.at(place, dim));
      sum += value, squares += value * value;
    }
    return squares - sum * sum / static_cast<double>(added.size(0));
  };
  double least = HUGE_VAL, last = HUGE_VAL;
  std::vector<std::int64_t> shown;
  for (const auto& series : plot.series) {
    const std::int64_t dim = std::stoll(series.name.arguments().front().str());
    shown.push_back(dim);
    for (std::int64_t place = 0; place < added.size(0); ++place)
      EXPECT_EQ(series.points[static_cast<std::size_t>(place)],
                (std::pair<double, double>{place, static_cast<double>(added.at(place, dim))}));
    EXPECT_LE(spread(dim), last + 1e-9);
    last = spread(dim), least = std::min(least, last);
  }
  for (std::int64_t dim = 0; dim < 64; ++dim)
    if (std::find(shown.begin(), shown.end(), dim) == shown.end()) {
      EXPECT_LE(spread(dim), least + 1e-9);
    }
}

ViewState easy_position(const Opened& of) {
  ViewState state = first_state(*of.model, of.run);
  state.level = Level::easy;
  return state;
}
// The two rows of a matrix, a column for each word.
std::pair<std::vector<float>, std::vector<float>> both_rows(const figure::Figure& figure,
                                                            const std::string& part) {
  const std::vector<float> all = mark_of<figure::MatrixMark>(figure, part).values.values();
  const auto half = all.begin() + std::ssize(all) / 2;
  return {{all.begin(), half}, {half, all.end()}};
}

// Both rows are those of runs of their own; without positions they are alike where no block stands before.
TEST(ViewPosition, TheOrderIsShownByExchangingTwoWords) {
  for (const char* name : {"model:storyteller", "model:storyteller-llama", "model:induction"}) {
    const Opened of = opened(name);
    const ViewState state = easy_position(of);
    const figure::Figure figure = figure_of("position", state);
    const std::string sentence = sentence_key(figure);
    EXPECT_TRUE(sentence == "figure.position.order" || sentence.starts_with("figure.position.order.both"))
        << name << " " << sentence;
    const std::vector<std::string> said = sentence_of(figure);
    const int layer = std::stoi(said[3]), head = std::stoi(said[4]);
    const auto row_of = [&](const Trace& run) {
      std::vector<float> out;
      for (std::int64_t key = 0; key < run.length; ++key)
        out.push_back(run.cell(run.main(StepRole::pattern, layer), {head, state.row, key}));
      return out;
    };
    const auto [written, exchanged] = both_rows(figure, "order");
    EXPECT_EQ(written, row_of(*of.run)) << name;
    bool found = false;  // words may stand so more than once
    const std::size_t count = of.run->input.ids.size();
    for (std::size_t pair = 0; pair < count * count && !found; ++pair) {
      const std::size_t at = pair / count, to = pair % count;
      Input other = of.run->input;
      if (to <= at || token_label(*of.model, other.ids[at]) != said[0] ||
          token_label(*of.model, other.ids[to]) != said[1])
        continue;
      std::swap(other.ids[at], other.ids[to]);
      const auto swapped = of.model->model->run(other);
      ASSERT_TRUE(swapped);
      std::vector<float> row = row_of(**swapped);
      std::swap(row[at], row[to]);
      found = row == exchanged;
    }
    EXPECT_TRUE(found) << name;
    const auto [bare, bare_exchanged] = both_rows(figure, "bare");
    for (std::size_t at = 0; at < bare.size() && sentence == "figure.position.order"; ++at)
      EXPECT_NEAR(bare[at], bare_exchanged[at], 1e-4f) << name;
  }
}

// The second picture has a sentence of its own: what the word that the first one is about gets there.
TEST(ViewPosition, SaysWhatTheWordGetsWithoutPositions) {
  const Opened of = opened("model:storyteller");
  const figure::Figure figure = figure_of("position", easy_position(of));
  ASSERT_EQ(sentence_key(figure), "figure.position.order.both.word");
  const auto& bare = mark_of<figure::MatrixMark>(figure, "bare");
  const std::int64_t word = mark_of<figure::MatrixMark>(figure, "order").cols.looked;
  ASSERT_GE(word, 0);
  const std::vector<std::string> said = sentence_of(figure);
  for (const std::int64_t row : {0, 1})
    EXPECT_EQ(said[static_cast<std::size_t>(11 + row)],
              figure::number_text(static_cast<double>(bare.values.at(row, word)), bare.digits));
  EXPECT_NE(said[11], said[12]);
}

TEST(ViewPosition, TheStorytellerAnswersByTheOrder) {
  const Opened of = opened("model:storyteller");
  const figure::Figure figure = figure_of("position", easy_position(of));
  const Text said = mark_of<figure::WordsMark>(figure, "sentence").forms.front().arguments()[8];
  EXPECT_EQ(said.key(), "figure.position.order.turns");
  EXPECT_EQ(in_words(said.arguments()),
            (std::vector<std::string>{"The", "cat", "cat", "98.4 %", "dog", "86.4 %"}));
}

// What there is to try exchanges two words: the picture is of the same two.
TEST(ViewPosition, TheWordsAreThoseOfTheThingToTry) {
  int seen = 0;
  for (const char* name :
       {"model:gap-filler", "model:translator", "model:sorter", "model:storyteller-llama"}) {
    const Opened of = opened(name);
    const auto things = things_to_try(*of.model);
    ASSERT_TRUE(things);
    const auto swap = std::find_if(things->begin(), things->end(),
                                   [](const TryThis& thing) { return thing.tokens.size() == 2; });
    ASSERT_NE(swap, things->end()) << name;
    const std::vector<std::string> said = sentence_of(figure_of("position", easy_position(of)));
    EXPECT_EQ(said[0], swap->tokens[0].from) << name;
    EXPECT_EQ(said[1], swap->tokens[1].from) << name;
    ++seen;
  }
  EXPECT_EQ(seen, 4);
}

// A window computes the runs beside its frames: until they are there the picture says so.
TEST(ViewPosition, WhatTakesRunsIsPendingUntilItIsThere) {
  const Opened of = opened("model:storyteller");
  ViewState state = easy_position(of);
  const auto text_of = [](const figure::Figure& figure) { return figure::as_text(figure); };
  const std::string whole = text_of(figure_of("position", state));
  state.slow_pending = true;
  EXPECT_EQ(sentence_key(figure_of("position", state)), "figure.position.order.pending");
  EXPECT_EQ(figure::find_part(figure_of("position", state), "order"), nullptr);
  state.slow = std::make_shared<const SlowPart>((*find_view("position"))->slow(state));
  EXPECT_EQ(text_of(figure_of("position", state)), whole);
  state.level = Level::full;
  state.slow.reset();
  EXPECT_NE(sentence_key(figure_of("position", state)), "figure.position.order.pending")
      << "no runs of its own";
}

TEST(ViewPosition, TheWordsThatChangePlacesAreNeverAmongTheOthers) {
  const Opened of = opened("model:storyteller");
  const auto mark = mark_of<figure::MatrixMark>(figure_of("position", easy_position(of)), "order");
  const std::vector<int> first(mark.order.begin(), mark.order.begin() + 3);
  for (const int place : {1, 2})  // The cat
    EXPECT_NE(std::find(first.begin(), first.end(), place), first.end()) << place;
}

// Words that get nothing in any row have no column of zeros, and both pictures have the same columns.
TEST(ViewPosition, TheWordsThatGetMostHaveColumnsTheSameInBothPictures) {
  const Opened of = opened("model:storyteller");
  const figure::Figure figure = figure_of("position", easy_position(of));
  const auto &with = mark_of<figure::MatrixMark>(figure, "order"),
             &bare = mark_of<figure::MatrixMark>(figure, "bare");
  EXPECT_EQ(with.order, bare.order);
  ASSERT_GT(with.most_columns, 0u);
  ASSERT_LT(with.most_columns, with.order.size());
  EXPECT_EQ(with.most_columns, bare.most_columns);
  const auto given = [](const figure::MatrixMark& mark, int col) {
    return std::max(mark.values.at(0, col), mark.values.at(1, col));
  };
  for (std::size_t at = with.most_columns; at < with.order.size(); ++at)
    for (const figure::MatrixMark* mark : {&with, &bare}) EXPECT_LT(given(*mark, with.order[at]), 0.02f);
}

// Without positions no word moves: the word that the sentence is about is still that of the picture above.
TEST(ViewPosition, BothPicturesHaveTheSameColumnsInEveryModel) {
  for (const char* model : {"model:storyteller-llama", "model:induction", "model:translator"}) {
    const Opened of = opened(model);
    const figure::Figure figure = figure_of("position", easy_position(of));
    EXPECT_EQ(mark_of<figure::MatrixMark>(figure, "order").order,
              mark_of<figure::MatrixMark>(figure, "bare").order)
        << model;
  }
}

// No head of block 0 changes by more than 0.006: the picture is of the head that does change.
TEST(ViewPosition, ShowsTheHeadThatTheOrderChanges) {
  const Opened of = opened("model:storyteller");
  const std::vector<std::string> said = sentence_of(figure_of("position", easy_position(of)));
  EXPECT_EQ((std::vector<std::string>{said[3], said[4], said[5]}),
            (std::vector<std::string>{"1", "3", "cat"}));
  EXPECT_GT(std::stod(said[6]) - std::stod(said[7]), 0.5) << said[6] << " " << said[7];
}

// After the exchange was made in the text, sentence and rows stay in the order in which it was made.
TEST(ViewPosition, AnExchangeThatWasMadeDoesNotTurnRound) {
  const Opened of = opened("model:storyteller");
  ViewState state = easy_position(of);
  const figure::Figure before = figure_of("position", state);
  Input other = of.run->input;
  std::swap(other.ids[1], other.ids[2]);  // The cat
  const auto run = of.model->model->run(other);
  ASSERT_TRUE(run);
  state.before = state.run, state.run = *run;
  const figure::Figure after = figure_of("position", state);
  const Text said = mark_of<figure::WordsMark>(after, "sentence").forms.front().arguments()[8];
  EXPECT_EQ(said.key(), "figure.position.order.turned");
  EXPECT_EQ(in_words(said.arguments()),
            (std::vector<std::string>{"The", "cat", "cat", "98.4 %", "dog", "86.4 %"}));
  for (const char* part : {"order", "bare"}) {
    EXPECT_EQ(both_rows(after, part), both_rows(before, part)) << part;
    EXPECT_EQ(in_words(mark_of<figure::MatrixMark>(after, part).rows.labels),
              in_words(mark_of<figure::MatrixMark>(before, part).rows.labels));
  }
  EXPECT_TRUE(mark_of<figure::MatrixMark>(after, "order").own_rows[0].of.empty()) << "not of this run";
}

// Words that stand apart from each other are recognised as exchanged, too.
TEST(ViewPosition, AnExchangeOfFarWordsIsTheOneThatIsTold) {
  const Opened of = opened("model:gap-filler");
  ViewState state = easy_position(of);
  state.row = 14;  // [MASK]
  Input other = of.run->input;
  std::swap(other.ids[3], other.ids[10]);  // sat, tired
  const auto run = of.model->model->run(other);
  ASSERT_TRUE(run);
  state.before = state.run, state.run = *run;
  const Text said =
      mark_of<figure::WordsMark>(figure_of("position", state), "sentence").forms.front().arguments()[8];
  EXPECT_EQ(said.key(), "figure.position.order.turned");
  EXPECT_EQ(in_words(said.arguments()),
            (std::vector<std::string>{"sat", "tired", "cat", "100.0 %", "mat", "98.0 %"}));
}

// Signs are no words, and letters behind ":" are what the model says of those before it.
TEST(ViewPosition, OnlyWordsChangePlaces) {
  for (const char* name : {"model:sorter", "model:gap-filler"}) {
    const Opened of = opened(name);
    const figure::Figure figure = figure_of("position", easy_position(of));
    const auto mark = mark_of<figure::MatrixMark>(figure, "order");
    const std::vector<std::string> keys = in_words(mark.cols.labels), said = sentence_of(figure);
    const auto colon = std::find(keys.begin(), keys.end(), ":");
    for (const std::size_t word : {0, 1}) {
      EXPECT_TRUE(std::isalpha(static_cast<unsigned char>(said[word].front()))) << name << " " << said[word];
      EXPECT_NE(std::find(keys.begin(), colon, said[word]), colon) << name << " " << said[word];
    }
  }
}

TEST(ViewPosition, AModelWithoutPositionsSaysThatATextIsASet) {
  const Opened of = opened("scene:i_love_you");
  const figure::Figure figure = figure_of("position", easy_position(of));
  EXPECT_EQ(sentence_key(figure), "figure.position.order.never");
  EXPECT_EQ(figure::find_part(figure, "bare"), nullptr);
  const auto [written, exchanged] = both_rows(figure, "order");
  for (std::size_t at = 0; at < written.size(); ++at) EXPECT_NEAR(written[at], exchanged[at], 1e-6f);
}

// Both runs are under the edits of the document; where those leave nothing of the places, that is said.
TEST(ViewPosition, TheOrderIsThatOfTheEditedRun) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, edited(of, "blocks.1.attn.pattern[head=3,query=13,key=2]=0"));
  state.level = Level::easy;
  const figure::Figure figure = figure_of("position", state);
  const Text said = mark_of<figure::WordsMark>(figure, "sentence").forms.front().arguments().at(8);
  const auto answer = answer_table(state, answer_row(state), 1);
  ASSERT_TRUE(answer);
  EXPECT_EQ(said.arguments()[3].str(), answer->rows.front().cells[1].str());
  EXPECT_NE(said.arguments()[3].str(), "98.4 %");
  state.run = edited(of, "pos_embed=0");
  EXPECT_EQ(sentence_key(figure_of("position", state)), "figure.position.learned.nothing");
}

// What an encoder reads has an order, too: its rows are shown, and without positions it is a set.
TEST(ViewPosition, TheWordsOfATranslatorsSourceChangePlaces) {
  const Opened of = opened("model:translator");
  const ViewState state = easy_position(of);
  const figure::Figure figure = figure_of("position", state);
  EXPECT_EQ(sentence_key(figure), "figure.position.order");
  const std::vector<std::string> said = sentence_of(figure);
  const auto [written, exchanged] = both_rows(figure, "order");
  EXPECT_EQ(written.size(), of.run->input.source.size());
  const Site pattern = AttentionPlace{Stack::enc}.pattern(std::stoi(said[3]));
  const auto& mark = mark_of<figure::MatrixMark>(figure, "order");
  const std::vector<std::string> keys = in_words(mark.cols.labels);
  const auto query = std::find(keys.begin(), keys.end(), said[2]) - keys.begin();
  for (std::size_t key = 0; key < written.size(); ++key)
    EXPECT_EQ(written[key],
              of.run->cell(pattern, {std::stoi(said[4]), query, static_cast<std::int64_t>(key)}));
  const auto [bare, bare_exchanged] = both_rows(figure, "bare");
  for (std::size_t at = 0; at < bare.size(); ++at) EXPECT_NEAR(bare[at], bare_exchanged[at], 1e-4f);
  EXPECT_GT(std::abs(std::stod(said[6]) - std::stod(said[7])), 0.04);
  const auto answer = answer_table(state, answer_row(state), 1);
  ASSERT_TRUE(answer);
  const Text turned = mark_of<figure::WordsMark>(figure, "sentence").forms.front().arguments()[8];
  EXPECT_EQ(turned.arguments()[2].str(), answer->rows.front().cells[0].str()) << "the answer beside it";
}

TEST(ViewPosition, TheWordsThatThePilotReadsChangePlaces) {
  const Opened of = opened("model:pilot");
  const figure::Figure figure = figure_of("position", easy_position(of));
  EXPECT_NE(figure::find_part(figure, "order"), nullptr) << sentence_key(figure);
  const std::vector<std::string> said = sentence_of(figure);
  for (const std::size_t word : {0, 1})
    EXPECT_TRUE(std::isalpha(static_cast<unsigned char>(said[word].front()))) << said[word];
}

}  // namespace
}  // namespace attnscope
