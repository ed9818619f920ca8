// What the lessons are as a course: kinds of questions, the views and labs they open; bars that are drawn.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/names.h"
#include "core/base/words.h"
#include "core/lesson/check.h"
#include "core/lesson/lesson_file.h"
#include "core/lesson/page_document.h"

namespace attnscope {
namespace {

// What a course is to be: bets and builds, few typed numbers, and a way from every lesson into the rest of
// the program.
TEST(Lessons, AskForBetsAndBuildsAndOpenTheRestOfTheProgram) {
  const auto lessons = shipped_lessons();
  ASSERT_TRUE(lessons) << lessons.error().text();
  const std::set<std::string> beyond{"labs", "kv", "training", "embedding", "tokenizer", "mlp", "calculator"};
  std::map<std::string, int> kinds;
  std::set<std::string> views, labs;
  // Drawn, built or clicked before it is seen, or said to be a bet.
  const auto is_bet = [](const Lesson& lesson, const Page& page) {
    for (const char* kind : {"bars", "curve", "build", "cell"})
      if (ask_name(page.ask) == kind) return true;
    const std::string said =
        Text::of(page_key(lesson, page, "text")).str() + " " + Text::of(page_key(lesson, page, "ask")).str();
    for (const char* word : {"Bet", "bet ", "bet:", "redict", "Guess", "guess"})
      if (said.find(word) != std::string::npos) return true;
    return false;
  };
  int pages = 0, bets = 0;
  ASSERT_TRUE(set_language("en"));
  for (const Lesson& lesson : *lessons) {
    bool leads_on = false;
    for (const char* what : {"goal", "recap"})
      for (const char* language : {"en", "ko"}) {
        ASSERT_TRUE(set_language(language));
        EXPECT_TRUE(has_string(lesson_key(lesson, what))) << lesson.id << " " << what << " " << language;
      }
    EXPECT_GT(lesson.minutes, 0) << lesson.id;
    for (const Page& page : lesson.pages) {
      ++pages, ++kinds[std::string(ask_name(page.ask))];
      ASSERT_TRUE(set_language("en"));
      bets += is_bet(lesson, page) ? 1 : 0;
      views.insert(page_view(page));
      if (const std::string lab = page.state.look().value("lab", std::string()); !lab.empty())
        labs.insert(lab);
      for (const Explore& explore : page.explores) {
        views.insert(explore.view);
        if (!explore.lab.empty()) labs.insert(explore.lab);
        leads_on |= beyond.contains(explore.view);
      }
      leads_on |= beyond.contains(page_view(page));
    }
    EXPECT_TRUE(leads_on) << lesson.id << " opens neither a lab nor one of the views that lessons forget";
  }
  ASSERT_TRUE(set_language("en"));
  const int typed = kinds["number"] + kinds["shape"];
  EXPECT_LE(typed * 4, pages) << typed << " of " << pages << " are typed";
  EXPECT_GE(bets * 10, pages * 4) << bets << " of " << pages << " are a bet or a build";
  const int done = pages - kinds["number"] - kinds["shape"] - kinds[""];
  EXPECT_GE(done * 10, pages * 4);
  EXPECT_GE(kinds["bars"], 5);
  EXPECT_GE(kinds["curve"], 2);
  EXPECT_GE(kinds["build"], 2);
  EXPECT_GE(kinds["probe"], 4);
  EXPECT_GE(labs.size(), 16U);
  for (const std::string& view : names().views)
    EXPECT_TRUE(views.contains(view)) << view << " is opened by no lesson";
}

// Right answers are written first in the files; on the screen they stand anywhere, the same in both
// languages.
TEST(Choices, AreMixedUnlessTheirOrderMeansSomething) {
  const auto order = [](const ChoiceAsk& ask) {
    std::string out;
    for (const ChoiceAsk::Choice& one : ask.choices) out += one.id + " ";
    return out;
  };
  std::map<std::string, std::string> in_english;
  for (const char* language : {"en", "ko"}) {
    ASSERT_TRUE(set_language(language));
    const auto lessons = shipped_lessons();
    ASSERT_TRUE(lessons) << lessons.error().text();
    int asked = 0, first = 0;
    for (const Lesson& lesson : *lessons)
      for (const Page& page : lesson.pages) {
        const auto* ask = std::get_if<ChoiceAsk>(&page.ask);
        if (!ask) continue;
        const std::string where = lesson.id + "/" + page.id;
        EXPECT_EQ(in_english.emplace(where, order(*ask)).first->second, order(*ask)) << where;
        PageRun run;
        ASSERT_TRUE(run.open(page)) << where;
        const nlohmann::json& look = page.state.look();
        const int sequence =
            look.is_object() && look.contains("cursor") ? look["cursor"].value("sequence", 0) : 0;
        const auto right = right_answer(page, {run.run(), &run.first(), sequence, {}});
        ASSERT_TRUE(right) << where << ": " << right.error().text();
        ++asked, first += std::get<std::string>(*right) == ask->choices.front().id ? 1 : 0;
      }
    EXPECT_GT(asked, 30);
    EXPECT_LE(first * 2, asked) << first << " of " << asked << " are right at once";
    EXPECT_GT(first, 0) << "never the first one is a rule, too";
  }
  ASSERT_TRUE(set_language("en"));
  const auto of_file = [&](const char* more) {
    const auto lesson = lesson_from_text(std::string(R"json({"format": "attnscope-lesson", "version": 1,
      "id": "mixed", "pages": [{"id": "p", "open": {"model": "scene:nine_steps"}, "ask": {"kind": "choice", )json") +
                                             more + R"json("choices": [
      {"id": "a", "words": "1", "when": "1"}, {"id": "b", "words": "2", "when": "0"},
      {"id": "c", "words": "3", "when": "0"}, {"id": "d", "words": "4", "when": "0"}]}}]})json",
                                         "mixed.json");
    return lesson ? order(std::get<ChoiceAsk>(lesson->pages.front().ask)) : lesson.error().text();
  };
  EXPECT_NE(of_file(""), "a b c d ");
  EXPECT_EQ(of_file(""), of_file("")) << "the same each time";
  EXPECT_EQ(of_file(R"("in_order": true, )"), "a b c d ");
}

// A bet is asked before anything is seen; something to build is made by hand. Pages that only change
// something are not counted among them.
TEST(Lessons, AskForBetsAndThingsToBuildMoreThanForTypedNumbers) {
  const auto lessons = shipped_lessons();
  ASSERT_TRUE(lessons) << lessons.error().text();
  std::size_t pages = 0, typed = 0, bets = 0, built = 0;
  const std::set<std::string_view> by_hand{"build", "probe", "mask", "order"};
  for (const Lesson& lesson : *lessons)
    for (const Page& page : lesson.pages) {
      const std::string_view kind = ask_name(page.ask);
      ++pages;
      typed += kind == "number" || kind == "shape" ? 1 : 0;
      bets += is_prediction(page) ? 1 : 0;
      built += !is_prediction(page) && by_hand.contains(kind) ? 1 : 0;
    }
  EXPECT_LE(4 * typed, pages) << typed << " of " << pages;
  EXPECT_GE(5 * (bets + built), 2 * pages) << bets << " bets and " << built << " of " << pages;
}

TEST(Bars, StayAtSumOneWhateverIsSet) {
  std::vector<double> shares{0.25, 0.25, 0.5};
  for (const auto& [which, share] :
       std::vector<std::pair<std::size_t, double>>{{0, 0.6}, {2, 1.0}, {1, 0.2}, {0, 0.0}, {2, 0.0}}) {
    set_share(shares, which, share);
    EXPECT_NEAR(shares[which], share, 1e-12);
    EXPECT_NEAR(shares[0] + shares[1] + shares[2], 1, 1e-12);
  }
  shares = {0.2, 0.3, 0.5};
  set_share(shares, 2, 0);  // the others keep their proportion
  EXPECT_NEAR(shares[0] / shares[1], 2.0 / 3, 1e-12);
}

}  // namespace
}  // namespace attnscope
