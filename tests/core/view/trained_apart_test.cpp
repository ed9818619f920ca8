// The Pilot beside the one that was trained under the other mask: both masks cell by cell, what each says,
// and what their cards measured.
#include "core/view/trained_apart.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/figure/place.h"
#include "core/session/beside.h"
#include "core/train/card.h"
#include "core/train/pilot_path.h"
#include "tests/core/view/opened.h"

namespace attnscope::testing {
namespace {

constexpr const char *kPilot = "model:pilot", *kPilotTwin = "model:pilot/causal";

// The Pilot's run with that of the other one before it, as the window shows them.
struct BesideTwin {
  Opened own = opened(kPilot);
  std::shared_ptr<const Document> other;
  std::shared_ptr<const Trace> run;
  BesideTwin() {
    auto made = under_model(new_document(own.model), kPilotTwin);
    EXPECT_TRUE(made) << made.error().text();
    other = *made;
    run = run_all(*other, {}, {})->front();
  }
  ViewState state(Level level = Level::easy) const {
    ViewState out = first_state(*own.model, own.run);
    out.level = level, out.compare = true;
    out.before = run, out.opened_before = other->opened.get();
    return out;
  }
};

std::string hundredths(const Card& card) { return format("%.2f %%", 100 * card.measures.front().value); }

const figure::TableMark& movements_in(const figure::Figure& figure) {
  return mark_of<figure::TableMark>(figure, "movements");
}

TEST(TrainedApart, TheTwinIsNoModelOfTheMenu) {
  const std::vector<std::string> all = shipped_models();
  EXPECT_EQ(std::count(all.begin(), all.end(), kPilotTwin), 0);
  EXPECT_EQ(shipped_twins(kPilot), std::vector<std::string>{kPilotTwin});
  EXPECT_EQ(shipped_twins(kPilotTwin), std::vector<std::string>{kPilot});
  EXPECT_TRUE(shipped_twins("model:sorter").empty());
  EXPECT_TRUE(shipped_twins("scene:nine_steps").empty());
  EXPECT_EQ(shipped_files("pilot").count("causal/config.json"), 0u);
}

TEST(TrainedApart, BothMasksCellByCell) {
  const BesideTwin of;
  for (const Level level : {Level::easy, Level::full}) {
    const auto figure = draw_view(**find_view("mask"), of.state(level));
    ASSERT_TRUE(figure) << figure.error().text();
    const auto &a = mark_of<figure::MatrixMark>(*figure, "a"), &b = mark_of<figure::MatrixMark>(*figure, "b"),
               &minus = mark_of<figure::MatrixMark>(*figure, "minus");
    const auto masks = [&](const Trace& run) { return *run.tensor(site_of(StepRole::mask, 0)); };
    const Tensor then = masks(*of.run), now = masks(*of.own.run);
    std::int64_t open_a = 0, open_b = 0, apart = 0;
    for (std::int64_t row = 0; row < now.size(0); ++row)
      for (std::int64_t col = 0; col < now.size(1); ++col) {
        const bool in_a = then.at(row, col) > 0, in_b = now.at(row, col) > 0;
        EXPECT_EQ(a.values.at(row, col) > 0, in_a) << row << " " << col;
        EXPECT_EQ(b.values.at(row, col) > 0, in_b) << row << " " << col;
        if (in_a || in_b) {
          EXPECT_EQ(minus.values.at(row, col), (in_b ? 1.f : 0.f) - (in_a ? 1.f : 0.f)) << row << " " << col;
        }
        open_a += in_a ? 1 : 0, open_b += in_b ? 1 : 0, apart += in_a != in_b ? 1 : 0;
      }
    EXPECT_EQ(open_b - open_a, 16 * 15 / 2) << "each patch sees those behind it";
    EXPECT_EQ(apart, open_b - open_a);
    const Card causal = *read_card(std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/models/pilot/causal"),
               prefix = *read_card(std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/models/pilot");
    EXPECT_EQ(sentence_key(*figure), "figure.compare.trained.tower");
    EXPECT_EQ(sentence_of(*figure),
              (std::vector<std::string>{"causal", "causal | image>image", "1000", hundredths(causal),
                                        hundredths(prefix), std::to_string(open_a), std::to_string(open_b)}));
  }
}

TEST(TrainedApart, WhatEachSaysIsThatOfItsRun) {
  const BesideTwin of;
  const auto figure = draw_view(**find_view("mask"), of.state(Level::full));
  ASSERT_TRUE(figure);
  const figure::TableMark& table = movements_in(*figure);
  ASSERT_EQ(table.rows.size(), 2u);
  std::int64_t alike = 0;
  for (std::size_t action = 0; action < static_cast<std::size_t>(kArmActions); ++action) {
    std::array<int, 2> said{};
    for (const std::size_t which : {0u, 1u}) {
      const Trace& run = which == 0 ? *of.run : *of.own.run;
      const Tensor logits = run.logits_row(19 + static_cast<std::int64_t>(action));
      for (std::int64_t id = 1; id < logits.count(); ++id)
        if (logits.at(id) > logits.at(said[which])) said[which] = static_cast<int>(id);
      EXPECT_EQ(table.rows[which].cells[action + 1].str(), output_name(*of.own.model, said[which])) << action;
    }
    alike += said[0] == said[1] ? 1 : 0;
  }
  const figure::Part* part = figure::find_part(*figure, "movements");
  EXPECT_EQ(part->title.front().arguments().front().str(), std::to_string(alike));
}

// Pairs that were opened by hand are not those that it was trained under: two runs are compared, no
// trainings.
TEST(TrainedApart, AnEditedMaskIsNotTheTrainedOne) {
  const BesideTwin of;
  Document document = new_document(of.own.model);
  Request request;
  request.masks = {"causal & window(5)"};
  ASSERT_TRUE(apply_request(document, request));
  const auto question = [](const ViewState& state) {
    const auto drawing = compared(**find_view("mask"), state);
    EXPECT_TRUE(drawing);
    return drawing ? drawing->question.front().key() : std::string();
  };
  ViewState state = of.state();
  EXPECT_EQ(question(state), "figure.compare.trained.question");
  const std::shared_ptr<const Trace> edited = run_all(document, {}, {})->front();
  state.run = edited;
  EXPECT_EQ(question(state), "figure.compare.question");
}

TEST(TrainedApart, ItsPictureFitsEverywhere) {
  const BesideTwin of;
  struct Room {
    float width, height;
    const figure::LetterSizes& letters;
  };
  for (const Room& room :
       {Room{1260, 440, figure::kWindowLetters}, Room{720, 400, figure::kWindowLetters},
        Room{1280, 720, figure::kPresenterLetters}, Room{1024, 768, figure::kPresenterLetters}})
    for (const std::string& language : languages())
      for (const Level level : {Level::easy, Level::full}) {
        ASSERT_TRUE(set_language(language));
        const auto figure = draw_view(**find_view("mask"), of.state(level));
        ASSERT_TRUE(figure);
        const figure::Placed placed =
            figure::place(*figure, room.width, room.height, room.letters, figure::Measure());
        EXPECT_TRUE(placed.overflows.empty()) << room.width << " " << language;
      }
  ASSERT_TRUE(set_language("en"));
}

TEST(TrainedApart, MasksAreEachModelsOwn) {
  Opened own = opened(kPilot);
  Document document = new_document(own.model);
  Request request;
  request.masks = {"causal & window(5)"};
  request.edits = {"blocks.0.attn.z[head=1]=0"};
  ASSERT_TRUE(apply_request(document, request));
  const auto other = under_model(document, kPilotTwin);
  ASSERT_TRUE(other) << other.error().text();
  EXPECT_EQ((*other)->edits.size(), 1u) << "the mask is left out, the other edit stays";
  EXPECT_EQ((*other)->sequences.size(), document.sequences.size());
  EXPECT_FALSE(under_model(document, "model:sorter")) << "which reads no pictures";
  EXPECT_FALSE(under_model(document, "model:nobody"));
}

}  // namespace
}  // namespace attnscope::testing
