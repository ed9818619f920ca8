// Lessons in the window: what is said of changes and when, and what an open bet holds back.
#include <chrono>
#include <thread>

#include "app/state/actions.h"
#include "app/state/shown_figure.h"
#include "app/widgets/navigation.h"
#include "core/lesson/leaks.h"
#include "tests/app/lesson_driver.h"

namespace attnscope {
namespace {

class LessonBetsTest : public testing::LessonFrameTest {};

// Twice Check without a change: no reason is given, for it would not be true; a hint says what to do. What
// stands there after another change is of that run.
TEST_F(LessonBetsTest, NothingIsSaidOfAChangeThatWasNotMade) {
  const auto lessons = shipped_lessons();
  ASSERT_TRUE(lessons) << lessons.error().text();
  for (const Lesson& lesson : *lessons)
    for (std::size_t i = 0; i < lesson.pages.size(); ++i) {
      const Page& page = lesson.pages[i];
      if (!std::holds_alternative<ChangeAsk>(page.ask) && !std::holds_alternative<MaskAsk>(page.ask))
        continue;
      const std::string where = lesson.id + "/" + page.id;
      open(lesson.id, static_cast<int>(i));
      state().lessons.check(workspace());
      EXPECT_EQ(draft().hints, 0) << where;
      state().lessons.check(workspace());
      ASSERT_TRUE(draft().verdict) << where;
      EXPECT_FALSE(draft().verdict->right) << where;
      EXPECT_TRUE(draft().because.empty()) << where << ": " << draft().because.str();
      EXPECT_EQ(draft().hints, 1) << where;
    }
}

// The figure alone has no covers, and a film passes through what a bet holds back.
TEST_F(LessonBetsTest, WhatAPageHidesIsInNoExportOfTheFigure) {
  const auto refused = [this](const char* form) {
    ExportRequest request;
    request.path = std::string("/tmp/attnscope-hidden.") + form, request.figure = true;
    const auto writer = shown_figure_writer(state(), request);
    return !writer && writer.error().what().key() == "error.export.hidden";
  };
  open("ten_minutes", 0);
  EXPECT_TRUE(refused("gif"));
  EXPECT_TRUE(refused("csv"));
  open("nine_steps", 1);
  EXPECT_TRUE(refused("csv"));
  ImGui::SetClipboardText("before");
  copy_values(state(), false);
  EXPECT_STREQ(ImGui::GetClipboardText(), "before");
  open("ten_minutes", 2);  // nothing is hidden here
  EXPECT_FALSE(refused("csv"));
}

TEST_F(LessonBetsTest, WhatStandsOfAChangeIsOfTheNewestRun) {
  open("ten_minutes", 2);
  const auto set = [this](float weight) {
    ASSERT_TRUE(session_->edit(Text("by hand"), {}, [weight](Document& document) {
      put_edit(document,
               *parse_edit("blocks.1.attn.pattern[head=3,query=13,key=2]=" + std::to_string(weight)));
      return Status(Done{});
    }));
    settle();
  };
  set(0.9f);
  state().lessons.check(workspace());
  ASSERT_TRUE(draft().verdict);
  EXPECT_FALSE(draft().verdict->right);
  const std::string before = state().lessons.live().str();
  set(0.45f);
  EXPECT_FALSE(draft().verdict) << "it was about another run";
  EXPECT_NE(state().lessons.live().str(), before);
  set(0.f);
  ASSERT_TRUE(draft().verdict);
  EXPECT_TRUE(draft().verdict->right);
  EXPECT_FALSE(draft().because.empty());
  set(0.9f);
  EXPECT_FALSE(draft().verdict);
  EXPECT_TRUE(draft().because.empty()) << "no longer true";
}

// ---- bets -----------------------------------------------------------------------------------------------

TEST_F(LessonBetsTest, AnOpenBetIsSaidNowhereInTheEasyWindow) {
  ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  open("ten_minutes", 0);
  const Page& page = state().lessons.page();
  const auto hidden = hidden_numbers(page, state().lessons.scope());
  ASSERT_TRUE(hidden);
  ASSERT_FALSE(hidden->empty());
  const auto says = [&] {
    const DisplayList list = drawn(2);
    for (const DrawItem& item : list.items())
      if (item.kind == DrawItem::Kind::text && leaked_number(std::string(list.text(item)), *hidden) != "")
        return true;
    return false;
  };
  EXPECT_TRUE(workspace().holds_back) << "no mark on the strongest key";
  for (const char* station : {"station_embed", "station_scores", "station_softmax", "station_values"}) {
    if (shows(station)) click(station);
    workspace().station = std::string(station).substr(8);  // as a session or a key would set it
    EXPECT_FALSE(says()) << station;
  }
  workspace().view = "attention";
  frames(2);
  EXPECT_EQ(workspace().view, "steps");
  EXPECT_FALSE(says());
  state().lessons.draft().drawn = true;
  state().lessons.check(workspace());
  frames(2);
  EXPECT_FALSE(workspace().holds_back);
  workspace().view = "attention";
  frames(3);
  EXPECT_TRUE(says()) << "the row is shown once it was bet on";
}

TEST_F(LessonBetsTest, ALabThatIsBetOnShowsItsResultsAfterwards) {
  ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  open("loss", 4);
  EXPECT_TRUE(shows("lab_held"));
  EXPECT_FALSE(shows("lab_notice"));
  click("choice_yes");
  settle();
  EXPECT_TRUE(shows("lab_held")) << "one may think again";
  click("choice_better");
  settle();
  EXPECT_FALSE(shows("lab_held"));
  EXPECT_TRUE(shows("lab_notice"));
}

TEST_F(LessonBetsTest, ABetOnATrainingWaitsForItAndIsJudgedFromIt) {
  ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  open("masks", 5);
  ASSERT_TRUE(shows("lab_held"));
  click("choice_better");
  if (!draft().verdict) {
    ASSERT_TRUE(draft().complaint);
    EXPECT_TRUE(still_training(*draft().complaint)) << draft().complaint->text();
    EXPECT_EQ(draft().choice, "better") << "it is kept";
  }
  for (int i = 0; i < 3000 && !draft().verdict; ++i) {
    frames(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ASSERT_TRUE(draft().verdict);
  EXPECT_FALSE(draft().verdict->right);
  click("choice_cheat");
  frames(2);
  ASSERT_TRUE(draft().verdict);
  EXPECT_TRUE(draft().verdict->right) << "nothing is trained anew";
}

TEST_F(LessonBetsTest, TheEndOfALessonShowsNothingOfALastPageThatIsOpen) {
  ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  open("loss", 4);
  click("lesson_next");
  frames(3);
  ASSERT_TRUE(state().lessons.at_end());
  EXPECT_TRUE(shows("lab_held"));
  EXPECT_FALSE(shows("lab_notice"));
}

TEST_F(LessonBetsTest, TheSecondWrongCellUncoversTheRow) {
  ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  for (const auto& [lesson, page] :
       {std::pair("head_roles", 0), {"encoder_decoder", 1}, {"induction_head", 2}}) {
    open(lesson, page);
    const std::vector<Target> hidden = state().lessons.hidden();
    ASSERT_FALSE(hidden.empty()) << lesson;
    const auto choose = [&](std::int64_t key) {
      Cell cell{hidden.front().site, {}};
      for (const AxisRange& range : hidden.front().at) cell.at.push_back({range.axis, range.begin});
      std::erase_if(cell.at, [](const auto& one) { return one.axis == "key"; });
      cell.at.push_back({"key", key});
      pin_cell(workspace(), state().lessons.run(), cell);
      state().lessons.check(workspace());
      frames(3);
    };
    choose(0);
    ASSERT_TRUE(draft().verdict) << lesson;
    EXPECT_FALSE(draft().verdict->right) << lesson;
    EXPECT_TRUE(shows("lesson_cover0")) << lesson;
    EXPECT_FALSE(state().lessons.hidden().empty()) << lesson;
    choose(1);
    EXPECT_FALSE(draft().verdict && draft().verdict->right) << lesson;
    EXPECT_FALSE(shows("lesson_cover0")) << lesson << ": the second one";
    EXPECT_FALSE(draft().because.empty()) << lesson;
  }
}

// The row that nobody touched is the usual mistake on some pages.
TEST_F(LessonBetsTest, AnUntouchedRowIsAnAnswerWhereItIsTheUsualMistake) {
  for (const auto& [lesson, page] :
       {std::pair("nine_steps", 4), {"ten_minutes", 0}, {"query_key_value", 1}}) {
    open(lesson, page);
    click("lesson_check");
    frames(2);
    EXPECT_FALSE(draft().complaint) << lesson;
    ASSERT_TRUE(draft().verdict) << lesson;
    EXPECT_TRUE(draft().verdict->slip) << lesson;
    EXPECT_FALSE(draft().verdict->right) << lesson;
  }
}

TEST_F(LessonBetsTest, AnEasyLessonKeepsItsButtonsInTheFullWindow) {
  ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  open("ten_minutes", 2);
  const float y = noted_items().at("lesson_next").p0.y;
  state().workspace.level = Level::full;
  frames(3);
  EXPECT_EQ(shown_level(state()), Level::full);
  EXPECT_NEAR(noted_items().at("lesson_next").p0.y, y, 1);
}

// What stands beside a picture says nothing of it while it is bet on: captions, counts, the wave of a line.
TEST_F(LessonBetsTest, WordsBesideAPictureWaitForTheBet) {
  ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  const auto says = [&](const std::string& words) {
    const DisplayList list = drawn(2);
    for (const DrawItem& item : list.items())
      if (item.kind == DrawItem::Kind::text && std::string(list.text(item)).find(words) != std::string::npos)
        return true;
    return false;
  };
  open("sines", 3);
  const std::string how_far = std::string(tr("position.dots.words")).substr(0, 16);
  EXPECT_FALSE(says(how_far));
  click("choice_same");
  frames(2);
  EXPECT_TRUE(says(how_far));
  open("masks", 3);
  const std::string counts = tr("mask.counts", {"4", "16"});
  EXPECT_FALSE(says(counts)) << "one column of four";
  click("choice_column");
  frames(2);
  EXPECT_TRUE(says(counts));
  open("scores_to_words", 0);
  EXPECT_EQ(noted_items().at("lesson_cover0").p0.y, std::floor(noted_items().at("next_0").p0.y) - 1);
}

// A page that names a dimension shows it, also where another model stood open before.
TEST_F(LessonBetsTest, ADimensionThatAPageNamesIsShown) {
  open("masks", 0);
  open("sines", 0);
  EXPECT_EQ(state().chosen_in_view("position")["table_dim"], 0);
  EXPECT_TRUE(shows("lesson_cover0")) << "the wave of dimension 0 has the number that is asked";
}

// The list of models gives way where a lesson stands beside the calculator: the last button is whole.
TEST_F(LessonBetsTest, TheLineOfTheCalculatorFitsBesideALesson) {
  ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  for (const char* language : {"en", "ko"}) {
    ASSERT_TRUE(set_language(language));
    open("counting", 3);
    frames(3);
    EXPECT_TRUE(shows("calc_open"));
    const ItemRect& last = noted_items().at("calc_file");
    EXPECT_EQ(last.seen1.x, last.p1.x) << language;
  }
  ASSERT_TRUE(set_language("en"));
}

}  // namespace
}  // namespace attnscope
