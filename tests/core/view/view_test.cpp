// Views as figures: every shipped model and lab, in both languages; the numbers are those of the run.
#include "core/view/view.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/base/words.h"
#include "core/figure/drawing.h"
#include "core/figure/place.h"
#include "core/lens/attention_row.h"
#include "core/sample/sampler.h"
#include "core/session/document.h"
#include "tests/core/view/opened.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

TEST(ViewFigures, PatternAndRowAreThoseOfTheRun) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, of.run);
  state.layer = 1, state.head = 3;
  const auto figure = draw_view(**find_view("attention"), state);
  ASSERT_TRUE(figure);
  const auto& pattern = std::get<figure::MatrixMark>(figure::find_part(*figure, "pattern")->mark);
  const auto& row = std::get<figure::MatrixMark>(figure::find_part(*figure, "row")->mark);
  const auto terms = attention_row(*of.run, state.place.pattern(1), 3, state.row);
  ASSERT_TRUE(terms);
  for (std::size_t key = 0; key < terms->terms.size(); ++key) {
    const auto col = static_cast<std::int64_t>(key);
    EXPECT_EQ(row.values.at(0, col), pattern.values.at(state.row, col));
    if (terms->terms[key].allowed) {
      EXPECT_NEAR(static_cast<double>(row.values.at(0, col)), terms->terms[key].weight, 1e-6);
    }
  }
  EXPECT_EQ(row.order.front(),
            static_cast<int>(strongest_key(*of.run, state.place.pattern(1), 3, state.row)));
}

TEST(ViewFigures, TheSentenceNamesTheStrongestKeyAndItsWeight) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, of.run);
  for (state.row = 0; state.row < of.run->length; ++state.row) {
    const auto figure = draw_view(**find_view("attention"), state);
    ASSERT_TRUE(figure);
    const auto& words = std::get<figure::WordsMark>(figure::find_part(*figure, "sentence")->mark);
    const std::vector<Text>& arguments = words.forms.front().arguments();
    const auto key = strongest_key(*of.run, state.place.pattern(0), 0, state.row);
    EXPECT_EQ(arguments[1].str(), told_apart(state, state.place.stack, key).str());
    EXPECT_EQ(arguments[2].str(),
              figure::number_text(
                  static_cast<double>(of.run->cell(state.place.pattern(0), {0, state.row, key})), 2));
  }
}

TEST(ViewFigures, SaysWhereTwoKeysAreAlikeAndWhereAnEditTookWeightAway) {
  const Opened scene = opened("scene:it_cat_mat");
  const auto tie = draw_view(**find_view("attention"), first_state(*scene.model, scene.run));
  ASSERT_TRUE(tie);
  EXPECT_EQ(sentence_key(*tie), "figure.attention.two");
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, of.run);
  state.layer = 1, state.head = 3;
  const std::int64_t key = strongest_key(*of.run, state.place.pattern(1), 3, state.row);
  state.run = edited(of, "blocks.1.attn.pattern[head=3,query=" + std::to_string(state.row) +
                             ",key=" + std::to_string(key) + "]=0");
  const auto figure = draw_view(**find_view("attention"), state);
  ASSERT_TRUE(figure);
  EXPECT_EQ(sentence_key(*figure), "figure.attention.edited");
  double sum = 0;
  for (std::int64_t at = 0; at <= state.row; ++at)
    sum += static_cast<double>(state.run->cell(state.place.pattern(1), {3, state.row, at}));
  EXPECT_EQ(sentence_of(*figure)[7], figure::number_text(sum, 2));
}

// Rows of an input of vectors have their number alone; small scores keep digits that tell them apart.
TEST(ViewFigures, RowsOfVectorsAreTokensAndSmallScoresAreNotZero) {
  const Opened of = opened("scene:nine_steps");
  const ViewState state = first_state(*of.model, of.run);
  const auto figure = draw_view(**find_view("mask"), state);
  ASSERT_TRUE(figure);
  EXPECT_EQ(sentence_of(*figure)[0], "token 3");
  const auto& scores = mark_of<figure::MatrixMark>(*figure, "scores");
  EXPECT_EQ(scores.rows.labels[2].str(), "token 2");
  EXPECT_EQ(scores.digits, 2) << "at most 0.12";
}

TEST(ViewFigures, TheAnswerAddsUpToOne) {
  const Opened of = opened("model:storyteller");
  const ViewState state = first_state(*of.model, of.run);
  const auto table = answer_table(state, state.row, 5);
  ASSERT_TRUE(table);
  double sum = table->rest.value_or(0);
  for (const figure::TableMark::Row& row : table->rows) sum += *row.bar;
  EXPECT_NEAR(sum, 1, 1e-4);
  const auto tokens = next_tokens(of.run->logits_row(state.row), Sampling{});
  EXPECT_EQ(table->rows.front().cells.front().str(), token_label(*of.model, tokens.front().id));
}

TEST(ViewFigures, EveryShippedModelDrawsInBothLanguages) {
  for (const char* name : {"model:storyteller", "model:translator", "model:sorter", "model:gap-filler",
                           "model:pilot", "scene:nine_steps"}) {
    const Opened of = opened(name);
    int drawn = 0;
    for (const ViewSpec* view : view_specs()) {
      if (!view->model) continue;
      for (const Level level : {Level::easy, Level::full}) {
        ViewState state = first_state(*of.model, of.run);
        state.level = level;
        ASSERT_TRUE(check_state(state)) << name;
        const auto figure = draw_view(*view, state);
        if (!figure) continue;
        ++drawn;
        for (const std::string& lang : languages()) {
          ASSERT_TRUE(set_language(lang));
          EXPECT_GT(figure::as_text(*figure).size(), 40u) << name << view->id;
        }
      }
    }
    EXPECT_GT(drawn, 3) << name;
  }
  ASSERT_TRUE(set_language("en"));
  EXPECT_TRUE(missing_keys().empty());
}

TEST(ViewFigures, PlacesThatTheRunLacksAreErrors) {
  const Opened of = opened("model:storyteller");
  for (const auto& [layer, head, row] : {std::tuple{99, 0, 0}, std::tuple{0, 99, 0}, std::tuple{0, 0, 999}}) {
    ViewState state = first_state(*of.model, of.run);
    state.layer = layer, state.head = head, state.row = row;
    const Status checked = check_state(state);
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().code(), Code::out_of_range);
  }
  const auto unknown = find_view("nothing");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().text().find("attention"), std::string::npos);
}

// Presented, the text stands above the picture: an image is one word of it, not one for each place.
TEST(ViewFigures, AnImageIsOneWordOfTheText) {
  for (const char* name : {"model:pilot", "model:storyteller"}) {
    const testing::Opened of = testing::opened(name);
    const auto figure = draw_view(**find_view("attention"), first_state(*of.model, of.run));
    ASSERT_TRUE(figure);
    const std::string read = testing::mark_of<figure::WordsMark>(*figure, "text").forms.front().str();
    const std::string image = tr("figure.read.image");
    const bool sees = name == std::string("model:pilot");
    EXPECT_EQ(read.starts_with(image), sees) << read;
    EXPECT_EQ(read.find(image, 1), std::string::npos) << read;
    EXPECT_NE(read.find(sees ? "red cup" : "The cat sat on the mat because it was tired . So the"),
              std::string::npos)
        << read;
  }
}

// A text that has room is there as a whole, whichever of its rows is looked at.
TEST(ViewFigures, AShortTextIsNotCutBehindTheRow) {
  const testing::Opened of = testing::opened("model:storyteller");
  for (std::int64_t row = 0; row < of.run->length; ++row) {
    ViewState state = first_state(*of.model, of.run);
    state.row = row;
    const auto figure = draw_view(**find_view("attention"), state);
    ASSERT_TRUE(figure);
    EXPECT_EQ(testing::mark_of<figure::WordsMark>(*figure, "text").forms.front().str(),
              "<bos> The cat sat on the mat because it was tired . So the");
  }
}

// Beside a picture the answer is as high as it: no empty band below.
TEST(View, TheAnswerTakesTheHeightOfThePicture) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, of.run);
  state.level = Level::easy;
  for (const char* view : {"residual", "mlp", "attention"}) {
    const auto figure = draw_view(**find_view(view), state);
    ASSERT_TRUE(figure) << view;
    EXPECT_TRUE(mark_of<figure::TableMark>(*figure, "answer").tall) << view;
  }
}

// On a projector every row of the pattern has its name: in smaller letters before a name is left out.
TEST(ViewAttention, PresentedItNamesEveryRow) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, of.run);
  state.layer = 1, state.head = 3, state.level = Level::easy;
  const auto figure = draw_view(**find_view("attention"), state);
  ASSERT_TRUE(figure);
  const figure::Measure measure;
  const figure::Placed placed = figure::place(*figure, 1280, 720, figure::kPresenterLetters, measure);
  const figure::Drawing drawing = figure::draw(placed, figure::kPresenterLetters, measure, true);
  std::set<std::int64_t> named;
  for (const figure::DrawnShape& shape : drawing.shapes)
    if (shape.kind == figure::DrawnShape::Kind::text && shape.part == "pattern" && shape.row >= 0 &&
        shape.col < 0) {
      named.insert(shape.row);
      EXPECT_GE(shape.em, 15.f);
    }
  EXPECT_EQ(std::ssize(named), state.run->length);
}

// A weight that the mask hides in both runs is 0 in both, and so is their difference.
TEST(ViewCompared, HiddenWeightsDifferByNothing) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, edited(of, "blocks.0.attn.z[head=2]=0"));
  state.layer = 1, state.head = 3, state.row = 4, state.compare = true, state.before = of.run;
  const auto figure = draw_view(**find_view("attention"), state);
  ASSERT_TRUE(figure);
  const figure::Measure measure;
  const figure::Placed placed = figure::place(*figure, 1280, 720, figure::kWindowLetters, measure);
  int zeros = 0;
  for (const figure::DrawnShape& shape : figure::draw(placed, figure::kWindowLetters, measure, true).shapes) {
    if (shape.part != "row" || shape.kind != figure::DrawnShape::Kind::text) continue;
    EXPECT_EQ(shape.text.find("∞"), std::string::npos) << shape.text;
    zeros += shape.text == "0" ? 1 : 0;
  }
  EXPECT_EQ(zeros, 3 * (state.run->length - 5)) << "what stands after the row, of A, of B and of both";
}

}  // namespace
}  // namespace attnscope
