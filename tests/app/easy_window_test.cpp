// The easy window: few controls, the answer beside the picture, and what the mouse does in a figure.
#include "app/shell/easy_window.h"

#include "core/model/measure.h"
#include "core/sample/sampler.h"
#include "core/session/try_this.h"
#include "tests/app/ui_driver.h"

namespace attnscope {
namespace {

class EasyWindowTest : public testing::FrameTest {
 protected:
  void open_easy(const std::string& model) {
    workspace().level = Level::easy;
    state().open_shipped_model(model);
    settle();
    ASSERT_TRUE(session_->result());
  }
  ImVec2 middle_of(const std::string& item, std::int64_t row, std::int64_t col) {
    const ItemRect rect = noted_items().at(item);
    return {rect.p0.x +
                (rect.p1.x - rect.p0.x) * (static_cast<float>(col) + 0.5f) / static_cast<float>(rect.cols),
            rect.p0.y +
                (rect.p1.y - rect.p0.y) * (static_cast<float>(row) + 0.5f) / static_cast<float>(rect.rows)};
  }
  void press(ImVec2 at) {
    point_at(at.x, at.y);
    frames();
    compat::feed_mouse_button(ImGui::GetIO(), 0, true);
    frames();
  }
  void let_go() {
    compat::feed_mouse_button(ImGui::GetIO(), 0, false);
    frames();
    settle();
  }
  // The likeliest output of the row that predicts.
  int next_token() {
    const Trace& trace = run().trace(0);
    return next_tokens(trace.logits_row(prediction_row(trace)), Sampling{}).front().id;
  }
  float weight(std::int64_t query, std::int64_t key) {
    const Cursor& cursor = workspace().cursor;
    return run().trace(0).cell(*parse_site("blocks." + std::to_string(cursor.layer) + ".attn.pattern"),
                               {cursor.head, query, key});
  }
};

TEST_F(EasyWindowTest, ShowsOnePictureTheAnswerAndAtMostTwelveControls) {
  for (const ShippedModel& model : std::vector<ShippedModel>(state().models())) {
    open_easy(model.name);
    EXPECT_FALSE(shows("two_views")) << model.name;
    int controls = 0;
    for (const auto& [name, rect] : noted_items())
      if (!name.starts_with("figure") && !name.starts_with("chip") && !name.starts_with("source_chip") &&
          !name.starts_with("station_") && name != "try_sentence" && name != "full")  // easy | full is one
        ++controls;
    EXPECT_LE(controls, 12) << model.name;
    EXPECT_TRUE(shows("figure.sentence")) << model.name;
  }
  EXPECT_TRUE(missing_keys().empty()) << missing_keys().front();
}

TEST_F(EasyWindowTest, DraggingACellDownChangesTheAnswerAndUndoBringsItBack) {
  open_easy("storyteller");
  workspace().view = "attention";
  frames();
  ASSERT_TRUE(shows("figure.row") && shows("figure.answer"));
  const std::int64_t query = workspace().cursor.query;
  const auto& row = noted_items().at("figure.row");
  std::int64_t key = 0;
  for (std::int64_t at = 0; at < row.cols; ++at)
    if (weight(query, at) > weight(query, key)) key = at;
  const float before = weight(query, key);
  ASSERT_GT(before, 0.3f);
  const ImVec2 cell = middle_of("figure.row", 0, key);
  press(cell);
  for (int step = 1; step <= 10; ++step) {
    point_at(cell.x, cell.y + 40.f * static_cast<float>(step));
    frames();
  }
  EXPECT_LT(weight(query, key), before);
  let_go();
  EXPECT_EQ(weight(query, key), 0.f);
  EXPECT_EQ(document().edits.size(), 1u);
  key_pointer() = {};
  FrameTest::key(compat::Key::z, true);
  settle();
  EXPECT_EQ(weight(query, key), before);
  EXPECT_TRUE(document().edits.empty());
}

TEST_F(EasyWindowTest, AClickLooksAtTheCellAndTheSentenceFollows) {
  open_easy("storyteller");
  workspace().view = "attention";
  frames();
  ASSERT_TRUE(shows("figure.pattern"));
  press(middle_of("figure.pattern", 3, 1));
  let_go();
  EXPECT_EQ(workspace().cursor.query, 3);
  EXPECT_EQ(workspace().cursor.key, 1);
  EXPECT_TRUE(document().edits.empty());
}

TEST_F(EasyWindowTest, TheSwitchGoesToTheSameViewInFullAndBack) {
  open_easy("storyteller");
  workspace().view = "mask";
  frames();
  click("full");
  EXPECT_EQ(workspace().level, Level::full);
  EXPECT_EQ(workspace().view, "mask");
  settle();
  EXPECT_TRUE(shows("level") && shows("two_views"));
  click("level");
  EXPECT_EQ(workspace().level, Level::easy);
  EXPECT_TRUE(shows("figure.allowed"));
}

TEST_F(EasyWindowTest, BeginsWithTheTextOfItsThingsToTryWhichIsNoChangeOfTheUser) {
  open_easy("storyteller");
  const auto things = things_to_try(*document().opened);
  ASSERT_TRUE(things && things->size() >= 3);
  EXPECT_EQ(document().sequences.front().input.ids.size(), run().trace(0).input.ids.size());
  EXPECT_EQ(output_name(*document().opened, next_token()), things->front().before);
  EXPECT_FALSE(session_->worth_keeping());
  EXPECT_EQ(workspace().cursor.head, 3);
  EXPECT_EQ(workspace().cursor.query, run().trace(0).length - 1);
}

TEST_F(EasyWindowTest, ShowMeDoesEachThingAndBackTakesItAway) {
  open_easy("storyteller");
  const auto things = things_to_try(*document().opened);
  ASSERT_TRUE(things);
  for (const TryThis& thing : *things) {
    click("try_show");
    settle();
    EXPECT_EQ(output_name(*document().opened, next_token()), thing.after.front()) << thing.id;
    click("try_show");  // back
    settle();
    EXPECT_EQ(output_name(*document().opened, next_token()), thing.before) << thing.id;
    click("try_next");
  }
}

TEST_F(EasyWindowTest, KeysAndTheStripWalkTheStations) {
  open_easy("storyteller");
  workspace().view = "attention";
  key(compat::Key::right);
  EXPECT_EQ(workspace().view, "steps");
  const std::string first = workspace().station;
  ASSERT_TRUE(shows("station_" + first));
  std::vector<std::string> seen{first};
  for (int i = 0; i < 12; ++i) {
    key(compat::Key::right);
    if (workspace().station != seen.back()) seen.push_back(workspace().station);
  }
  EXPECT_EQ(seen.size(), 7u);
  for (const std::string& station : seen) {
    click("station_" + station);
    EXPECT_EQ(workspace().station, station);
    EXPECT_TRUE(shows("figure.sentence"));
  }
  key(compat::Key::left);
  EXPECT_EQ(workspace().station, seen[seen.size() - 2]);
  click("station_" + first);
  key(compat::Key::space);
  frames(60 * 3);
  EXPECT_EQ(workspace().station, seen[1]);
  EXPECT_TRUE(missing_keys().empty()) << missing_keys().front();
}

TEST_F(EasyWindowTest, PresentsTheFigureAloneAndKeysTurnItsStations) {
  open_easy("storyteller");
  key(compat::Key::f5);
  EXPECT_TRUE(shows("figure.question"));
  EXPECT_FALSE(shows("try_show") || shows("film_play"));
  key(compat::Key::right);
  const std::string first = workspace().station;
  key(compat::Key::right);
  EXPECT_NE(workspace().station, first);
  key(compat::Key::page_up);  // of a clicker
  EXPECT_EQ(workspace().station, first);
  key(compat::Key::page_down);
  EXPECT_NE(workspace().station, first);
  key(compat::Key::end);
  EXPECT_EQ(workspace().station, "word");
  key(compat::Key::home);
  EXPECT_EQ(workspace().station, "words");
}

TEST_F(EasyWindowTest, PresentedFiguresFitEveryProjectorInEveryView) {
  open_easy("storyteller");
  key(compat::Key::f5);
  for (const ImVec2 size : {ImVec2(1280, 720), ImVec2(1024, 768), ImVec2(1920, 1080), ImVec2(800, 600)}) {
    ImGui::GetIO().DisplaySize = size;
    for (const ViewSpec* view : view_specs()) {
      if (!view->model) continue;
      workspace().view = view->id;
      frames(3);
      ASSERT_TRUE(shows("figure.question")) << view->id << " at " << size.x;
      for (const auto& [name, rect] : noted_items()) {
        if (!name.starts_with("figure.")) continue;
        EXPECT_TRUE(rect.p0.x >= 0 && rect.p0.y >= 0 && rect.p1.x <= size.x && rect.p1.y <= size.y)
            << name << " of " << view->id << " at " << size.x;
      }
    }
  }
}

TEST_F(EasyWindowTest, WhatChangedShowsBothRunsAndTheirDifference) {
  open_easy("storyteller");
  EXPECT_FALSE(shows("compare"));
  click("try_show");
  settle();
  ASSERT_TRUE(shows("compare"));
  EXPECT_FALSE(shows("figure.minus"));
  click("compare");
  for (const char* part : {"figure.a", "figure.b", "figure.minus", "figure.row"})
    EXPECT_TRUE(shows(part)) << part;
  key(compat::Key::f5);
  EXPECT_TRUE(shows("figure.minus"));
  key(compat::Key::escape);
  key(compat::Key::d);
  EXPECT_FALSE(shows("figure.minus"));
  EXPECT_TRUE(shows("figure.answer"));
  key(compat::Key::d);
  click("try_show");  // takes it back
  settle();
  EXPECT_FALSE(shows("compare") || shows("figure.minus"));
}

TEST_F(EasyWindowTest, AClickInTheMaskOpensAndClosesACell) {
  open_easy("storyteller");
  workspace().view = "mask";
  frames();
  const Site mask = state().run->trace(0).find(*parse_site("blocks.1.attn.mask"))
                        ? *parse_site("blocks.1.attn.mask")
                        : *parse_site("mask");
  ASSERT_TRUE(run().trace(0).find(mask));
  const std::int64_t last = run().trace(0).length - 1;
  const float before = run().trace(0).cell(mask, {last, 2});
  press(middle_of("figure.allowed", last, 2));
  let_go();
  EXPECT_NE(run().trace(0).cell(mask, {last, 2}), before);
  press(middle_of("figure.allowed", last, 2));
  let_go();
  EXPECT_EQ(run().trace(0).cell(mask, {last, 2}), before);
}

TEST_F(EasyWindowTest, AnotherTextIsSaidToBeAnotherAndNothingOpenIsAStartPage) {
  workspace().level = Level::easy;
  settle();
  EXPECT_FALSE(shows("two_views"));
  open_easy("storyteller");
  ASSERT_TRUE(session_->edit(Text::of("x"), {}, [](Document& document) {
    return set_text(document, 0, "The dog sat", Stack::single);
  }));
  settle();
  EXPECT_TRUE(shows("try_sentence"));
  click("try_show");
  settle();
  EXPECT_EQ(document().sequences.front().input.ids.size(), 14u);
}

}  // namespace
}  // namespace attnscope
