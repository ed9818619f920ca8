// What the lessons are as a course: kinds of questions, the views and labs they open; bars that are drawn.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/names.h"
#include "core/base/words.h"
#include "core/lesson/check.h"
#include "core/lesson/lesson_file.h"

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
