// Lessons in the window: what is typed stays whole, keys lead nowhere while a question is open, nothing moves
// under the mouse, and what a page hides is said by no table beside the stage.
#include <algorithm>

#include "app/state/actions.h"
#include "app/state/shown_figure.h"
#include "tests/app/lesson_driver.h"

namespace attnscope {
namespace {

class LessonStillTest : public testing::LessonFrameTest {
 protected:
  void SetUp() override {
    LessonFrameTest::SetUp();
    ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  }
  /// All signs in one frame, as a slow machine gets them.
  void burst(const std::string& text) {
    ImGui::GetIO().AddInputCharactersUTF8(text.c_str());
    frames(5);
  }
};

// ---- what is typed --------------------------------------------------------------------------------------

TEST_F(LessonStillTest, WhatIsTypedWithoutTheFocusStaysWhole) {
  const auto fresh = [this](int page) {
    open("softmax", 1);  // without a box: none keeps the focus
    open("nine_steps", page);
  };
  for (const char* text : {"-0.1871", ".3", "15", "sqrt(16)", "ln 2", "\u22120.5"}) {
    fresh(1);
    type(text);
    frames(3);
    const std::string want = std::string(text) == "\u22120.5" ? "-0.5" : text;
    EXPECT_EQ(draft().typed, want) << "sign by sign";
    fresh(1);
    burst(text);
    EXPECT_EQ(draft().typed, want) << "all at once";
  }
  fresh(0);
  type("(2,4)");
  EXPECT_EQ(draft().typed, "(2,4)");
  fresh(1);
  type("-0.1871");
  click("lesson_check");
  ASSERT_TRUE(draft().verdict);
  EXPECT_FALSE(draft().verdict->right) << "the sign is a part of it";
}

// ---- keys -----------------------------------------------------------------------------------------------

TEST_F(LessonStillTest, KeysDoNothingToTheStageWhileAQuestionIsOpen) {
  using compat::Key;
  const Key letters[] = {Key::g, Key::b, Key::n, Key::v, Key::p, Key::d, Key::l, Key::t, Key::e, Key::space};
  const std::pair<const char*, int> pages[] = {
      {"nine_steps", 5}, {"head_roles", 0}, {"masks", 2}, {"why_sqrt", 2}};
  for (const auto& [lesson, page] : pages) {
    open(lesson, page);
    const ThemeKind dark = theme().kind;
    const Cursor before = workspace().cursor;
    const std::string view = workspace().view;
    const std::int64_t tokens = run().trace(0).length;
    for (const Key letter : letters) key(letter);
    for (int digit = 1; digit <= 9; ++digit) key(static_cast<Key>(static_cast<int>(Key::n0) + digit));
    settle();
    EXPECT_EQ(workspace().view, view) << lesson;
    EXPECT_EQ(workspace().second_view, "") << lesson;
    EXPECT_EQ(run().trace(0).length, tokens) << lesson << ": a token was appended";
    EXPECT_FALSE(workspace().backward) << lesson;
    EXPECT_FALSE(workspace().log_scale) << lesson;
    EXPECT_FALSE(workspace().playing) << lesson;
    EXPECT_EQ(workspace().cursor.sequence, before.sequence) << lesson;
    EXPECT_EQ(theme().kind, dark) << lesson;
    EXPECT_FALSE(session_->pinned()) << lesson;
  }
  open("head_roles", 0);
  const Site step = workspace().cursor.step;
  key(Key::right);
  EXPECT_TRUE(workspace().cursor.step == step) << "one step on the row stands again";
  key(Key::page_down);
  settle();
  EXPECT_EQ(state().lessons.page_index(), 1) << "pages are turned";
}

TEST_F(LessonStillTest, ADigitChoosesAnAnswer) {
  open("ten_minutes", 3);
  const std::string view = workspace().view;
  key(compat::Key::n2);
  EXPECT_EQ(draft().choice, std::get<ChoiceAsk>(state().lessons.page().ask).choices[1].id);
  EXPECT_TRUE(draft().verdict);
  EXPECT_EQ(workspace().view, view);
}

// ---- what is hidden -------------------------------------------------------------------------------------

TEST_F(LessonStillTest, AShapeUncoversNothingOfALaterPage) {
  open("nine_steps", 0);
  ASSERT_TRUE(shows("lesson_cover0"));
  type("(9,9,9)");
  frames(3);
  click("lesson_check");
  ASSERT_TRUE(draft().verdict);
  EXPECT_TRUE(shows("lesson_cover0")) << "wrong";
  state().lessons.show_me(state());
  settle();
  ASSERT_TRUE(draft().verdict && draft().verdict->right);
  EXPECT_TRUE(shows("lesson_cover0")) << "right";
}

TEST_F(LessonStillTest, TheTableBesideTheMapDoesNotSayTheRowThatIsAskedFor) {
  open("head_roles", 0);
  EXPECT_TRUE(shows("attention.why")) << "of another row";
  workspace().cursor.query = 10;  // as a click on its token does
  frames(3);
  EXPECT_FALSE(shows("attention.why"));
  EXPECT_TRUE(shows("attention.why_covered"));
  workspace().cursor.step = workspace().cursor.step.with(Slot::scores);
  frames(3);
  EXPECT_TRUE(shows("lesson_cover0")) << "the scores say it, too";
  EXPECT_TRUE(why_hidden(state())) << "nothing of it is copied as text";
  state().lessons.check(workspace());
  open("head_roles", 1);
  EXPECT_TRUE(shows("attention.why"));
  EXPECT_FALSE(why_hidden(state()));
}

TEST_F(LessonStillTest, TheRowThatIsBetOnIsCoveredInTheFullWindow) {
  open("ten_minutes", 0);
  workspace().level = Level::full;
  workspace().view = "attention";
  frames(4);
  EXPECT_TRUE(shows("lesson_cover0"));
  EXPECT_TRUE(shows("attention.why_covered"));
  state().lessons.inspecting = true;
  frames(3);
  EXPECT_FALSE(state().lessons.inspecting) << "its numbers stand in the inspector";
}

TEST_F(LessonStillTest, TheLossIsNotSaidWhereItIsBetOn) {
  const auto says = [this](const char* number) {
    DisplayList list;
    state().recording = &list;
    frames(3);
    state().recording = nullptr;
    const auto& items = list.items();
    return std::any_of(items.begin(), items.end(), [&](const DrawItem& item) {
      return item.kind == DrawItem::Kind::text && list.text(item).find(number) != std::string_view::npos;
    });
  };
  open("loss", 1);
  settle();
  EXPECT_TRUE(workspace().hides_loss);
  EXPECT_FALSE(says("1.7960"));
  key(compat::Key::n1);
  settle();
  ASSERT_TRUE(draft().verdict && draft().verdict->right);
  EXPECT_FALSE(workspace().hides_loss);
}

// ---- back to the page -----------------------------------------------------------------------------------

TEST_F(LessonStillTest, BackToThePageNoticesStepsHeadsSequencesBackwardAndSplit) {
  const auto leads_back = [this](const char* what, const std::function<void()>& wander) {
    open("nine_steps", 2);
    ASSERT_FALSE(shows("lesson_return")) << what;
    const Cursor before = workspace().cursor;
    wander();
    settle();
    ASSERT_TRUE(shows("lesson_return")) << what;
    click("lesson_return");
    settle();
    EXPECT_FALSE(shows("lesson_return")) << what;
    EXPECT_TRUE(workspace().cursor.step == before.step) << what;
    EXPECT_EQ(workspace().cursor.sequence, before.sequence) << what;
  };
  leads_back("step", [this] { key(compat::Key::right); });
  leads_back("head", [this] { workspace().cursor.head = 1; });
  leads_back("sequence", [this] { workspace().cursor.sequence = 1; });
  leads_back("backward", [this] { workspace().backward = true; });
  leads_back("split", [this] { workspace().second_view = "mask"; });
  open("head_roles", 2);  // the head is the answer
  workspace().cursor.head = 1;
  frames(2);
  EXPECT_FALSE(shows("lesson_return"));
}

// ---- nothing moves --------------------------------------------------------------------------------------

TEST_F(LessonStillTest, ChoicesStandStillWhateverIsSaid) {
  const std::pair<const char*, int> pages[] = {
      {"scores_to_words", 0}, {"detective", 0}, {"knock_out", 2}, {"loss", 2}, {"masks", 4}};
  for (const char* language : {"en", "ko"}) {
    ASSERT_TRUE(set_language(language));
    for (const auto& [lesson, page] : pages) {
      open(lesson, page);
      const auto* ask = std::get_if<ChoiceAsk>(&state().lessons.page().ask);
      if (!ask) continue;
      const auto place = [](const std::string& id) {
        const auto found = noted_items().find("choice_" + id);
        return found == noted_items().end() ? -1.f : found->second.p0.y;
      };
      std::vector<float> before;
      for (const auto& choice : ask->choices) before.push_back(place(choice.id));
      EXPECT_GT(before.front(), 0) << lesson << " " << page;
      for (const auto& tried : ask->choices) {
        state().lessons.draft().choice = tried.id;
        state().lessons.check(workspace());
        frames(5);
        if (draft().verdict && draft().verdict->right) continue;  // then one reads on
        const bool full = std::string(lesson) == "detective";     // its last choice may lie under the verdict
        for (std::size_t i = 0; i < before.size() - (full ? 1 : 0); ++i)
          EXPECT_EQ(place(ask->choices[i].id), before[i])
              << lesson << " " << page << " after " << tried.id << " " << language;
      }
    }
  }
}

TEST_F(LessonStillTest, TheWayOnStandsAtOnePlaceOnEveryPage) {
  const auto lessons = shipped_lessons();
  ASSERT_TRUE(lessons);
  float x = -1, y = -1;
  for (const Lesson& lesson : *lessons) {
    if (lesson.easy) continue;
    for (std::size_t i = 0; i < lesson.pages.size(); ++i) {
      open(lesson.id, static_cast<int>(i));
      const ImVec2 at = noted_items().at("lesson_next").p0;
      if (i == 0) x = at.x, y = at.y;
      EXPECT_NEAR(at.x, x, 1) << lesson.id << " " << i + 1;
      EXPECT_NEAR(at.y, y, 1) << lesson.id << " " << i + 1;
    }
  }
}

TEST_F(LessonStillTest, EveryChoiceOfTheDetectiveIsInSight) {
  for (const char* language : {"en", "ko"}) {
    ASSERT_TRUE(set_language(language));
    for (int page = 0; page < 4; ++page) {
      open("detective", page);
      for (const auto& choice : std::get<ChoiceAsk>(state().lessons.page().ask).choices) {
        const ItemRect& item = noted_items().at("choice_" + choice.id);
        EXPECT_EQ(item.seen1.y, item.p1.y) << language << " page " << page + 1 << " " << choice.id;
      }
    }
  }
}

TEST_F(LessonStillTest, TheMenuOfPartsLiesOverThePanelAndOffersEveryBlock) {
  open("inside_block", 3);
  state().lessons.inspecting = true;
  frames(3);
  click("exchange");
  frames(2);
  EXPECT_TRUE(shows("exchange_block_0"));
  EXPECT_TRUE(shows("exchange_block_1"));
  EXPECT_GT(noted_items().at("exchange_block_0").p0.y, 360) << "below the lens of the stage";
}

}  // namespace
}  // namespace attnscope
