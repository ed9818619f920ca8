// Which head the answer needs: each cell against a run of its own with that head switched off.
#include <algorithm>
#include <cmath>

#include "core/base/words.h"
#include "core/figure/place.h"
#include "core/model/measure.h"
#include "tests/core/view/opened.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

TEST(ViewAsk, EachCellIsARunWithoutThatHead) {
  for (const std::string name : {"model:storyteller", "model:gap-filler", "model:translator"}) {
    const Opened of = opened(name);
    ViewState state = first_state(*of.model, of.run);
    const std::int64_t row = answer_row(state);
    const int answer = next_tokens(of.run->logits_row(row), Sampling{}).front().id;
    const auto share = [&](const Trace& run) {
      return std::exp(log_probabilities(run.logits_row(row))[static_cast<std::size_t>(answer)]);
    };
    const auto figure = draw_view(**find_view("ask"), state);
    ASSERT_TRUE(figure) << name;
    const Tensor& lost = mark_of<figure::MatrixMark>(*figure, "lost").values;
    double most = 0;
    std::pair<std::int64_t, std::int64_t> where;
    for (std::int64_t block = 0; block < lost.size(0); ++block)
      for (std::int64_t head = 0; head < lost.size(1); ++head) {
        const auto without =
            edited(of, std::string(stack_prefix(state.place.stack)) + "blocks." + std::to_string(block) +
                           ".attn.z[head=" + std::to_string(head) + "]=0");
        EXPECT_NEAR(lost.at(block, head), 100 * (share(*of.run) - share(*without)), 2e-2)
            << name << " " << block << "." << head;
        if (const double by = std::abs(share(*without) - share(*of.run)); by > most)
          most = by, where = {block, head};
      }
    const std::vector<std::string> said = sentence_of(*figure);
    EXPECT_EQ(said[0], output_name(*of.model, answer));
    if (most < 0.0005) continue;
    EXPECT_EQ(said[2], std::to_string(where.first)) << name;
    EXPECT_EQ(said[3], std::to_string(where.second)) << name;
  }
}

// With edits, cells are runs with these edits and one head less.
TEST(ViewAsk, KeepsTheEditsOfTheRun) {
  const Opened of = opened("model:storyteller");
  const std::string edit = "blocks.1.attn.z[head=0]=0";
  ViewState state = first_state(*of.model, edited(of, edit));
  const auto figure = draw_view(**find_view("ask"), state);
  ASSERT_TRUE(figure);
  const std::int64_t row = answer_row(state);
  const int answer = next_tokens(state.run->logits_row(row), Sampling{}).front().id;
  Document document = new_document(of.model);
  Request request;
  request.edits = {edit, "blocks.1.attn.z[head=3]=0"};
  ASSERT_TRUE(apply_request(document, request));
  const auto both = run_all(document, {}, {});
  ASSERT_TRUE(both);
  const auto share = [&](const Trace& run) {
    return std::exp(log_probabilities(run.logits_row(row))[static_cast<std::size_t>(answer)]);
  };
  EXPECT_NEAR(mark_of<figure::MatrixMark>(*figure, "lost").values.at(1, 3),
              100 * (share(*state.run) - share(*both->front())), 2e-2);
}

// On a projector the heads stand beside the answer, as large as in the window: not below each other, as two
// thin lines.
TEST(ViewAsk, PresentedTheHeadsStandBesideTheAnswer) {
  for (const std::string name : {"model:storyteller", "model:storyteller-llama", "model:pilot"})
    for (const char* language : {"en", "ko"}) {
      ASSERT_TRUE(set_language(language));
      const Opened of = opened(name);
      ViewState state = first_state(*of.model, of.run);
      state.level = Level::easy;
      const auto figure = draw_view(**find_view("ask"), state);
      ASSERT_TRUE(figure) << name;
      const figure::Placed placed =
          figure::place(*figure, 1280, 720, figure::kPresenterLetters, figure::Measure());
      const auto part = [&](const char* id) {
        return *std::find_if(placed.parts.begin(), placed.parts.end(),
                             [&](const figure::PlacedPart& one) { return one.part->id == id; });
      };
      EXPECT_GT(part("answer").box.x, part("lost").cells.right()) << name << " " << language;
      EXPECT_GE(part("lost").digit, 20.f) << name << " " << language;
    }
  ASSERT_TRUE(set_language("en"));
}

TEST(ViewAsk, ShowsWhereTheChosenHeadLooksBelowTheMostNeeded) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, of.run);
  state.layer = 1, state.head = 3;
  const figure::Figure figure = *draw_view(**find_view("ask"), state);
  const std::vector<std::string> said = sentence_of(figure);
  const auto pattern_of = [](const std::string& layer, const std::string& head) {
    return "blocks." + layer + ".attn.pattern[head=" + head + ",";
  };
  EXPECT_TRUE(mark_of<figure::MatrixMark>(figure, "row").of.starts_with(pattern_of(said[2], said[3])));
  EXPECT_TRUE(mark_of<figure::MatrixMark>(figure, "chosen").of.starts_with(pattern_of("1", "3")));
  state.layer = std::stoi(said[2]), state.head = std::stoi(said[3]);
  const figure::Figure alone = *draw_view(**find_view("ask"), state);
  EXPECT_EQ(find_part(alone, "chosen"), nullptr);
}

// A model with several attentions: the sentence names the one whose heads were switched off.
TEST(ViewAsk, SaysWhoseHeadsWereSwitchedOff) {
  const auto said = [](const Opened& of, Part part) {
    ViewState state = first_state(*of.model, of.run);
    state.place.part = part;
    const auto figure = draw_view(**find_view("ask"), state);
    return figure ? sentence_of(*figure).back() : figure.error().text();
  };
  const Opened translator = opened("model:translator");
  EXPECT_EQ(said(translator, Part::cross), tr("figure.ask.heads.cross"));
  EXPECT_EQ(said(translator, Part::attn), tr("figure.ask.heads.self"));
  EXPECT_EQ(said(opened("model:storyteller"), Part::attn), tr("figure.ask.heads.all"));
}

TEST(ViewAsk, SaysWhereItDoesNotRunAgain) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, edited(of, "blocks.0.attn.v.weight*=0.5"));
  const auto figure = draw_view(**find_view("ask"), state);
  ASSERT_FALSE(figure);
  EXPECT_EQ(figure.error().sentence(), tr("error.view.other_model"));
}

}  // namespace
}  // namespace attnscope
