// Lessons in the window, without a screen: every page of every lesson shows what it points at and covers what
// it hides; answers, hints and pages by clicks and keys; names that lesson files may use are those of the
// window.
#include <algorithm>
#include <cmath>
#include <fstream>

#include "app/panels/lesson/lesson_panel.h"
#include "app/panels/lesson/speaker.h"
#include "app/state/actions.h"
#include "app/widgets/matrix_lens.h"
#include "core/lesson/leaks.h"
#include "core/lesson/lesson_file.h"
#include "core/lesson/progress.h"
#include "core/session/mask_edits.h"
#include "core/system/atomic_file.h"
#include "tests/app/lesson_driver.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

class LessonTest : public testing::LessonFrameTest {
 protected:
  void type_answer(const std::string& text) {
    click("lesson_answer");
    type(text);
    click("lesson_check");
  }
};

TEST_F(LessonTest, EveryPageShowsWhatItPointsAtAndCoversWhatItHides) {
  ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  const auto lessons = shipped_lessons();
  ASSERT_TRUE(lessons) << lessons.error().text();
  for (const Lesson& lesson : *lessons)
    for (std::size_t i = 0; i < lesson.pages.size(); ++i) {
      const Page& page = lesson.pages[i];
      open(lesson.id, static_cast<int>(i));
      EXPECT_FALSE(session_->error()) << lesson.id << "/" << page.id;
      for (std::size_t point = 1; point <= page.points.size(); ++point)
        EXPECT_TRUE(shows("lesson_point" + std::to_string(point)))
            << lesson.id << "/" << page.id << ": " << page.points[point - 1] << " is not on the screen";
      if (!page.hides.empty()) {
        // A row of weights over a picture is left out of it; its thumbnails are covered.
        const bool thumbnails = std::any_of(noted_items().begin(), noted_items().end(), [](const auto& item) {
          return item.first.starts_with("lesson_thumb_");
        });
        EXPECT_TRUE(shows("lesson_cover0") || (shows("attention.image") && thumbnails))
            << lesson.id << "/" << page.id;
      }
      if (state().lessons.hidden().empty() && page.hides.empty()) {
        EXPECT_FALSE(shows("lesson_cover0")) << lesson.id << "/" << page.id;
      }
    }
}

TEST_F(LessonTest, ANumberIsTypedAndChecked) {
  open("nine_steps", 1);
  EXPECT_TRUE(shows("lesson_cover0"));
  type_answer("0.5");
  ASSERT_TRUE(draft().verdict);
  EXPECT_FALSE(draft().verdict->right);
  EXPECT_TRUE(shows("lesson_cover0")) << "a number that is not right yet stays covered";
  state().lessons.draft().typed.clear();
  type_answer("0.1871");
  EXPECT_TRUE(draft().verdict->right) << draft().verdict->words.str();
  EXPECT_FALSE(shows("lesson_cover0"));
  const Lesson& lesson = state().lessons.lesson();
  const PageProgress* kept = state().lessons.progress_of(lesson, lesson.pages[1]);
  ASSERT_TRUE(kept);
  EXPECT_TRUE(kept->right);
  EXPECT_EQ(kept->tries, 2);
}

TEST_F(LessonTest, TheWayOnAndWhatWasSaidLastStayInSight) {
  ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  open("nine_steps", 0);
  type_answer("(2, 4, 3)");
  for (int hint = 1; hint < LessonPlayer::kHints; ++hint) {
    settle();
    click("lesson_hint");
  }
  frames(4);
  EXPECT_EQ(draft().hints, 2);
  EXPECT_LT(noted_items().at("lesson_next").p1.y, ImGui::GetIO().DisplaySize.y);
  EXPECT_LT(noted_items().at("lesson_page_9").p1.y, ImGui::GetIO().DisplaySize.y);
  click("lesson_next");
  settle();
  EXPECT_EQ(state().lessons.page_index(), 1);
}

TEST_F(LessonTest, ABiasStandsClearOfTheTitleUnderIt) {
  ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  open("nine_steps", 7);
  const float line = ImGui::GetTextLineHeight() * 0.8f;
  EXPECT_LT(noted_items().at("matrix.steps/bias").p1.y, noted_items().at("matrix.steps/result").p0.y - line);
}

TEST_F(LessonTest, TheLensKeepsWhatAPageHides) {
  ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  open("inside_block", 2);
  EXPECT_TRUE(lens_hides("steps/result", 1, 0));
  EXPECT_FALSE(lens_hides("steps/result", 1, 1));
  EXPECT_FALSE(lens_hides("steps/a", 1, 0));
  type_answer("-0.1256");
  frames();
  EXPECT_FALSE(lens_hides("steps/result", 1, 0)) << "answered";
}

TEST_F(LessonTest, AClickOnACoveredCellAnswers) {
  open("head_roles", 0);
  click("lesson_cover0");  // its middle is the cell of "the"
  ASSERT_TRUE(draft().verdict);
  EXPECT_FALSE(draft().verdict->right);
  EXPECT_TRUE(shows("lesson_cover0")) << "one wrong guess leaves the row to think about";
  EXPECT_TRUE(shows("attention.why_covered"));
  click("lesson_check");
  frames(2);
  EXPECT_EQ(draft().wrong, 1) << "the click was judged already";
  EXPECT_TRUE(draft().because.empty());
  const auto hint = [this] {
    settle();  // words above the button move it
    click("lesson_hint");
  };
  hint();
  hint();
  EXPECT_FALSE(draft().shown);
  hint();
  EXPECT_TRUE(draft().shown);
  ASSERT_TRUE(workspace().cursor.pinned);
  EXPECT_EQ(workspace().cursor.key, 6) << "the rug";
  EXPECT_TRUE(draft().verdict->right);
  const Lesson& lesson = state().lessons.lesson();
  EXPECT_FALSE(state().lessons.progress_of(lesson, lesson.pages[0])->right) << "shown is not answered";
}

TEST_F(LessonTest, AChangeIsSeenWithoutAsking) {
  open("query_key_value", 2);
  EXPECT_FALSE(draft().verdict);
  ASSERT_TRUE(session_->edit(Text("by hand"), {},
                             [](Document& document) { return set_input_cell(document, 0, 1, 6, 1.f); }));
  settle();
  ASSERT_TRUE(draft().verdict);
  EXPECT_TRUE(draft().verdict->right);
  key(compat::Key::z, true);
  settle();
  EXPECT_FALSE(draft().verdict) << "taken back";
}

TEST_F(LessonTest, ShowMeAnswersWhateverWasTriedBefore) {
  open("query_key_value", 2);
  ASSERT_TRUE(session_->edit(Text("by hand"), {},
                             [](Document& document) { return set_input_cell(document, 0, 2, 4, 1.f); }));
  settle();
  state().lessons.show_me(state());
  settle();
  ASSERT_TRUE(draft().verdict);
  EXPECT_TRUE(draft().verdict->right) << draft().verdict->words.str();
  open("masks", 2);
  state().lessons.check(workspace());
  ASSERT_TRUE(draft().verdict);
  EXPECT_FALSE(draft().verdict->right);
  state().lessons.show_me(state());
  settle();
  ASSERT_TRUE(draft().verdict);
  EXPECT_TRUE(draft().verdict->right) << draft().verdict->words.str();
}

TEST_F(LessonTest, WordsThatAreBeingTypedAreNoAnswer) {
  open("robot_policy", 3);
  click("input_text");
  key(compat::Key::a, true);
  type("p");
  settle();
  EXPECT_FALSE(draft().verdict) << "half a word";
  type("ush the blue star");
  key(compat::Key::enter);
  settle();
  ASSERT_TRUE(draft().verdict);
  EXPECT_TRUE(draft().verdict->right);
}

TEST_F(LessonTest, PagesAreTurnedByKeysAndLookTheSameFromWhereverOneComes) {
  open("masks", 1);
  ASSERT_EQ(workspace().view, "steps");
  const Cursor first = workspace().cursor;
  key(compat::Key::page_down);
  settle();
  EXPECT_EQ(state().lessons.page_index(), 2);
  EXPECT_EQ(workspace().view, "mask");
  workspace().cursor.head = 1;
  workspace().show_difference = true;
  key(compat::Key::page_up);
  settle();
  EXPECT_EQ(state().lessons.page_index(), 1);
  EXPECT_EQ(workspace().view, "steps");
  EXPECT_FALSE(workspace().show_difference);
  EXPECT_TRUE(workspace().cursor == first);
  for (int i = 0; i < 2; ++i) {
    key(compat::Key::page_up);
    settle();
  }
  EXPECT_EQ(state().lessons.page_index(), 0) << "before the first page there is none";
  click("lesson_close");
  EXPECT_FALSE(state().lessons.open());
}

// ---- the page stands still, and takes what is typed ---------------------------------------------------

TEST_F(LessonTest, DigitsGoIntoTheBoxOfANumberAndSwitchNoView) {
  open("query_key_value", 0);
  ASSERT_EQ(workspace().view, "steps");
  key(compat::Key::n2);  // elsewhere the key of a view
  type("2");
  frames(3);
  EXPECT_EQ(workspace().view, "steps");
  EXPECT_EQ(draft().typed, "2");
  type("5");
  frames(2);
  EXPECT_EQ(draft().typed, "25") << "what was typed first stays";
}

TEST_F(LessonTest, ButtonsStandStillWhateverIsSaid) {
  ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  open("nine_steps", 1);
  const char* buttons[] = {"lesson_hint", "lesson_check", "lesson_previous", "lesson_next"};
  std::vector<ImVec2> before;
  for (const char* button : buttons) before.push_back(noted_items().at(button).p0);
  type_answer("0.0346");
  click("lesson_hint");
  frames(4);
  ASSERT_TRUE(draft().verdict);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const ImVec2 now = noted_items().at(buttons[i]).p0;
    EXPECT_EQ(now.y, before[i].y) << buttons[i];
    EXPECT_EQ(now.x, before[i].x) << buttons[i];
  }
}

TEST_F(LessonTest, AVerdictGoesWhenTheAnswerChangesAndTheReasonComesWithTheSecondWrongOne) {
  open("nine_steps", 1);
  type_answer("0.5");
  ASSERT_TRUE(draft().verdict);
  EXPECT_TRUE(draft().because.empty()) << "one wrong answer is no reason";
  state().lessons.draft().typed = "0.6";
  frames(2);
  EXPECT_FALSE(draft().verdict) << "it was about another number";
  click("lesson_check");
  frames(2);
  ASSERT_TRUE(draft().verdict);
  EXPECT_FALSE(draft().verdict->right);
  EXPECT_FALSE(draft().because.empty());
  EXPECT_TRUE(shows("lesson_cover0")) << "the reason gives the cell not away";
}

TEST_F(LessonTest, AHeadIsNoticedAtOnceWhereItIsTheRightOne) {
  open("knock_out", 1);
  workspace().cursor.head = 1;
  frames(2);
  EXPECT_FALSE(draft().verdict) << "walking past a head is no answer";
  workspace().cursor.head = 3;
  frames(2);
  ASSERT_TRUE(draft().verdict);
  EXPECT_TRUE(draft().verdict->right);
  EXPECT_FALSE(draft().because.empty());
  workspace().cursor.head = 2;
  frames(2);
  EXPECT_FALSE(draft().verdict);
}

TEST_F(LessonTest, AMaskIsNoticedWhenItIsRight) {
  open("masks", 2);
  ASSERT_TRUE(session_->edit(Text("by hand"), {}, [](Document& document) {
    return choose_mask(document, "causal & window(2)", AttentionKind::main);
  }));
  settle();
  ASSERT_TRUE(draft().verdict);
  EXPECT_TRUE(draft().verdict->right);
}

// ---- what is looked at beside it, and the end ----------------------------------------------------------

TEST_F(LessonTest, ALabIsOpenedByOneClickAndLeadsBack) {
  ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  open("softmax", 1);
  EXPECT_FALSE(shows("lesson_explore_0")) << "first the bet";
  click("choice_same");
  frames(4);
  EXPECT_FALSE(shows("lesson_return"));
  click("lesson_explore_0");
  settle();
  EXPECT_EQ(workspace().view, "labs");
  EXPECT_EQ(workspace().lab, "softmax");
  ASSERT_TRUE(shows("lesson_return")) << "the lesson stands beside the lab";
  click("lesson_return");
  settle();
  EXPECT_EQ(workspace().view, "steps");
  EXPECT_FALSE(shows("lesson_return"));
  EXPECT_TRUE(draft().verdict && draft().verdict->right) << "what was answered stays";
}

TEST_F(LessonTest, TheEndLeadsToTheNextLesson) {
  open("softmax", 3);
  click("lesson_next");
  frames(3);
  EXPECT_TRUE(state().lessons.at_end());
  EXPECT_TRUE(shows("lesson_open_1")) << "pages that are still open";
  click("lesson_previous");
  frames(2);
  EXPECT_FALSE(state().lessons.at_end());
  EXPECT_EQ(state().lessons.page_index(), 3);
  key(compat::Key::page_down);
  frames(3);
  ASSERT_TRUE(state().lessons.at_end());
  click("lesson_next");
  settle();
  EXPECT_EQ(state().lessons.lesson().id, "masks");
  EXPECT_FALSE(state().lessons.at_end());
  open("detective", 4);
  click("lesson_next");
  frames(3);
  EXPECT_TRUE(state().lessons.at_end());
  click("lesson_next");
  frames(3);
  EXPECT_EQ(state().lessons.lesson().id, "detective") << "behind the last one there is none";
}

// ---- bars and orders -----------------------------------------------------------------------------------

TEST_F(LessonTest, BarsAreDrawnWithTheMouseAndTheKeyboardAndSumToOne) {
  ImGui::GetIO().DisplaySize = ImVec2(1280, 900);
  open("query_key_value", 1);
  const auto sum = [this] {
    double out = 0;
    for (const double share : draft().bars) out += share;
    return out;
  };
  ASSERT_EQ(draft().bars.size(), 3u);
  EXPECT_NEAR(sum(), 1, 1e-9);
  click("lesson_bar_1");  // its middle
  frames(2);
  EXPECT_NEAR(draft().bars[1], 0.5, 0.02);
  EXPECT_NEAR(sum(), 1, 1e-9);
  const Cursor before = workspace().cursor;
  key(compat::Key::up);
  for (int i = 0; i < 5; ++i) key(compat::Key::left);
  EXPECT_NEAR(draft().bars[0], 0, 0.01) << "the one above, five steps shorter";
  EXPECT_NEAR(sum(), 1, 1e-9);
  EXPECT_TRUE(workspace().cursor == before) << "the arrows are the bars’";
  click("lesson_check");
  frames(3);
  ASSERT_TRUE(draft().verdict);
  EXPECT_FALSE(draft().verdict->right) << draft().verdict->words.str();
  EXPECT_GT(draft().grown, 0.f) << "the true ones grow over them";
  state().lessons.draft().bars = {0, 0.5, 0.5};
  frames(2);
  EXPECT_FALSE(draft().verdict);
  click("lesson_check");
  ASSERT_TRUE(draft().verdict);
  EXPECT_TRUE(draft().verdict->right) << draft().verdict->words.str();
}

TEST_F(LessonTest, ACurveIsDrawnWithTheMouseAndTheKeyboard) {
  open("why_sqrt", 0);
  ASSERT_EQ(draft().bars.size(), 5u);
  click("lesson_curve");  // its middle
  frames(2);
  EXPECT_EQ(draft().bar, 2);
  EXPECT_NEAR(draft().bars[2], 0.5, 0.05);
  const Cursor before = workspace().cursor;
  key(compat::Key::right);
  const double height = draft().bars[3];
  for (int i = 0; i < 4; ++i) key(compat::Key::up);
  EXPECT_NEAR(draft().bars[3], height + 0.2, 0.01) << "the next one, four steps higher";
  EXPECT_TRUE(workspace().cursor == before) << "the arrows are the curve’s";
  click("lesson_check");
  frames(2);
  ASSERT_TRUE(draft().verdict);
  EXPECT_FALSE(draft().verdict->right);
  state().lessons.show_me(state());
  frames(2);
  EXPECT_TRUE(draft().verdict->right) << draft().verdict->words.str();
}

TEST_F(LessonTest, AHeadIsBuiltByItsNumbersAndTheGoalsFollow) {
  open("build_head", 1);
  const auto reached = [this] {
    int out = 0;
    const auto goals = goals_now(state().lessons.lesson(), state().lessons.page(), state().lessons.scope());
    for (const GoalNow& goal : *goals) out += goal.reached ? 1 : 0;
    return out;
  };
  EXPECT_EQ(reached(), 0);
  drag("lesson_number_q_tired_0", 200);
  drag("lesson_number_k_animal_0", 200);
  settle();
  frames(3);
  EXPECT_NEAR(draft().knobs[0], 4, 0.01);
  EXPECT_EQ(reached(), 2) << "both sentences with tired";
  EXPECT_FALSE(draft().verdict && draft().verdict->right);
  drag("lesson_number_q_soft_1", 200);
  drag("lesson_number_k_thing_1", 200);
  settle();
  frames(3);
  EXPECT_EQ(reached(), 4);
  ASSERT_TRUE(draft().verdict);
  EXPECT_TRUE(draft().verdict->right);
  EXPECT_FALSE(draft().because.empty());
  key(compat::Key::z, true);
  settle();
  frames(3);
  EXPECT_NEAR(draft().knobs[5], 0, 1e-6) << "undone in one step, and the slider follows";
  EXPECT_EQ(reached(), 2);
}

TEST_F(LessonTest, AProbeTellsAsMuchAsItsBudgetAndShowsItsFaultAfterwards) {
  open("detective", 1);
  const std::string one = "lesson_look_answer", two = "lesson_look_divisor", three = "lesson_look_future";
  EXPECT_TRUE(draft().looked.empty());
  click(one);
  click(two);
  frames(2);
  EXPECT_EQ(draft().looked.size(), 2u);
  ASSERT_TRUE(draft().looked.contains("answer"));
  click(three);
  EXPECT_EQ(draft().looked.size(), 2u) << "two looks and no more";
  EXPECT_TRUE(document().edits.empty()) << "the model on the screen is sound";
  state().lessons.show_me(state());
  frames(3);
  ASSERT_TRUE(draft().verdict && draft().verdict->right);
  state().lessons.show_fault(state());
  settle();
  frames(2);
  EXPECT_FALSE(document().edits.empty());
}

TEST_F(LessonTest, TheClassIsListedFromItsFolderAndReadAgain) {
  open_default();
  const testing::TempFolder folder;
  Progress anna;
  PageProgress page;
  page.right = true, page.tries = 1, page.when = "2026-11-26 10:00";
  anna.at("Anna", "masks", "causal") = page;
  ASSERT_TRUE(write_file(folder / "anna.csv", anna.csv()));
  state().class_shown.folder = folder.path();
  read_class_again(state());
  frames(3);
  ASSERT_TRUE(shows("class_again"));
  anna.at("Ben", "masks", "zero") = page;
  ASSERT_TRUE(write_file(folder / "anna.csv", anna.csv()));
  click("class_again");
  frames(3);
  EXPECT_EQ(state().class_shown.seen->members.size(), 2u);
  state().class_shown.folder = folder / "none";
  read_class_again(state());
  frames(2);
  EXPECT_EQ(state().class_shown.seen->members.size(), 2u) << "what was read stays";
}

TEST_F(LessonTest, StepsArePutIntoTheirOrder) {
  ImGui::GetIO().DisplaySize = ImVec2(1280, 1000);
  open("ten_minutes", 4);
  ASSERT_EQ(draft().order.size(), 5u);
  const Site first = draft().order[0];
  click("lesson_order_down_0");
  frames(2);
  EXPECT_TRUE(draft().order[1] == first);
  click("lesson_check");
  frames(2);
  ASSERT_TRUE(draft().verdict);
  EXPECT_FALSE(draft().verdict->right);
  state().lessons.show_me(state());
  frames(2);
  ASSERT_TRUE(draft().verdict);
  EXPECT_TRUE(draft().verdict->right);
  EXPECT_EQ(to_text(draft().order[0]), "embed");
}

// Its five pages never leave the easy window; what is to be put into order has the names of its strip, which
// are covered meanwhile.
TEST_F(LessonTest, TheTenMinutesStayInTheEasyWindow) {
  ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  for (int page = 0; page < 5; ++page) {
    open("ten_minutes", page);
    EXPECT_EQ(shown_level(state()), Level::easy) << page;
  }
  ASSERT_NE(state().easy_view, nullptr);
  EXPECT_TRUE(state().lessons.hides_stations());
  const auto& ask = std::get<OrderAsk>(state().lessons.page().ask);
  EXPECT_EQ(ask.name_of(ask.steps[4]).str(), tr("figure.steps.name.scores"));
  state().lessons.show_me(state());
  frames(2);
  EXPECT_FALSE(state().lessons.hides_stations()) << "answered: the names are back";
  open("ten_minutes", 3);
  EXPECT_EQ(state().easy_view->page, "triangle");
}

TEST_F(LessonTest, ADraggedStepFollowsTheMouse) {
  ImGui::GetIO().DisplaySize = ImVec2(1280, 1000);
  open("ten_minutes", 4);
  const std::vector<Site> before = draft().order;
  ASSERT_EQ(before.size(), 5u);
  const auto middle = [](int row) {
    const ItemRect place = noted_items().at("lesson_order_" + std::to_string(row));
    return ImVec2((place.p0.x + place.p1.x) / 2, (place.p0.y + place.p1.y) / 2);
  };
  const ImVec2 from = middle(2), to = middle(0);
  point_at(from.x, from.y);
  frames(2);
  press(true);
  frames(2);
  for (int i = 1; i <= 8; ++i) {
    point_at(from.x, from.y + (to.y - from.y) * static_cast<float>(i) / 8);
    frames(3);
  }
  press(false);
  frames(2);
  EXPECT_EQ(draft().order, (std::vector<Site>{before[2], before[0], before[1], before[3], before[4]}));
}

TEST_F(LessonTest, TheFirstLessonIsDrawnInTheEasyWindow) {
  ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  open("ten_minutes", 1);
  EXPECT_EQ(shown_level(state()), Level::easy);
  EXPECT_TRUE(shows("lesson_next") && shows("lesson_check"));
  EXPECT_LE(noted_items().at("figure").p1.x, noted_items().at("lesson_next").p0.x) << "one beside the other";
  EXPECT_FALSE(shows("try_show")) << "the lesson says what to do";
  EXPECT_FALSE(shows("lesson_return"));
  open("nine_steps", 0);
  EXPECT_EQ(shown_level(state()), Level::full);
}

// What is drawn of the stage says nothing of what a page covers: outside of the covers stand none of its
// numbers.
TEST_F(LessonTest, NothingOnTheStageSaysWhatIsCovered) {
  ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  const auto lessons = shipped_lessons();
  ASSERT_TRUE(lessons) << lessons.error().text();
  for (const Lesson& lesson : *lessons)
    for (std::size_t i = 0; i < lesson.pages.size(); ++i) {
      const Page& page = lesson.pages[i];
      if (page.hides.empty()) continue;
      open(lesson.id, static_cast<int>(i));
      auto hidden = hidden_numbers(page, state().lessons.scope());
      ASSERT_TRUE(hidden) << hidden.error().text();
      std::erase_if(*hidden,
                    [](double value) { return std::fabs(20 * value - std::round(20 * value)) < 1e-6; });
      if (page.id == "shift") continue;  // asks where else the same numbers stand: along the diagonal
      const DisplayList list = drawn();
      const auto covered = [&](ImVec2 at) {
        for (const auto& [name, item] : noted_items())
          if (name.starts_with("lesson_cover") && at.x >= item.p0.x - 1 && at.x <= item.p1.x + 1 &&
              at.y >= item.p0.y - 1 && at.y <= item.p1.y + 1)
            return true;
        return false;
      };
      for (const DrawItem& item : list.items()) {
        if (item.kind != DrawItem::Kind::text || covered(item.p0)) continue;
        const std::string text(list.text(item));
        const auto letters = std::count_if(text.begin(), text.end(), [](unsigned char byte) {
          return (byte & 0xc0u) != 0x80u;  // a minus sign is one of them
        });
        if (text.find('.') == std::string::npos || letters < 6) continue;  // short numbers meet by chance
        EXPECT_EQ(leaked_number(text, *hidden), "") << lesson.id << "/" << page.id << ": " << text;
      }
    }
}

// ---- presenting ------------------------------------------------------------------------------------

/// Heights of the digits that a figure draws, pixels: capitals are 0.73 of the em in our faces.
std::vector<float> digit_heights(const DisplayList& list) {
  std::vector<float> out;
  for (const DrawItem& item : list.items()) {
    if (item.kind != DrawItem::Kind::text) continue;
    const std::string_view text = list.text(item);
    const bool number = text.find_first_of("0123456789") != std::string_view::npos &&
                        text.find_first_not_of("0123456789.-+\u2212") == std::string_view::npos;
    if (number) out.push_back(item.face.em * 0.73f);
  }
  return out;
}

TEST_F(LessonTest, WhilePresentingTheWordsStandUnderALargeFigure) {
  ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  open("nine_steps", 1);
  key(compat::Key::f5);
  ASSERT_TRUE(state().presenter.on);
  rescale(presenter_scale(state(), 1280, 720));
  frames(4);
  ASSERT_TRUE(presents_words(state()));
  EXPECT_TRUE(shows("lesson_answer")) << "the question with its control";
  EXPECT_TRUE(shows("lesson_cover0")) << "what is hidden stays hidden";
  const float words = presented_words_height(state());
  EXPECT_GT(words, 60.f);
  EXPECT_LT(words, 720 * 0.45f);
  EXPECT_LE(state().stage_max.y, 720 - words + 1);
  const DisplayList list = drawn();
  const std::vector<float> digits = digit_heights(list);
  ASSERT_GE(digits.size(), 8u) << "the numbers of the matrices";
  EXPECT_GE(std::count_if(digits.begin(), digits.end(), [](float height) { return height >= 18; }), 24)
      << "those of the cells";
  for (const float height : digits) EXPECT_GE(height, 16.f) << "those of labels and legend";
  key(compat::Key::page_down);
  settle();
  EXPECT_EQ(state().lessons.page_index(), 2);
  key(compat::Key::page_up);
  settle();
  EXPECT_EQ(state().lessons.page_index(), 1);
  key(compat::Key::l);
  EXPECT_FALSE(presents_words(state())) << "the figure alone";
  EXPECT_EQ(presented_words_height(state()), 0.f);
  EXPECT_FALSE(shows("lesson_answer"));
}

TEST_F(LessonTest, WhilePresentingEveryFigureFillsItsRoomAndNothingLiesOverTheWords) {
  const auto lessons = shipped_lessons();
  ASSERT_TRUE(lessons) << lessons.error().text();
  for (const ImVec2 size : {ImVec2(1280, 720), ImVec2(1920, 1080)})
    for (const Lesson& lesson : *lessons)
      for (std::size_t i = 0; i < lesson.pages.size(); ++i) {
        const Page& page = lesson.pages[i];
        const std::string where = lesson.id + "/" + page.id;
        ImGui::GetIO().DisplaySize = size;
        set_presenting(state(), false);
        open(lesson.id, static_cast<int>(i));
        set_presenting(state(), true);
        rescale(presenter_scale(state(), size.x, size.y));
        frames(4);
        const DisplayList list = drawn();
        const bool scrolls = std::any_of(list.items().begin(), list.items().end(), [&](const DrawItem& item) {
          return list.clip(item).scrolls_x || list.clip(item).scrolls_y;
        });
        EXPECT_FALSE(scrolls && workspace().view == "steps") << where << " scrolls";
        for (std::size_t point = 1; point <= page.points.size(); ++point)
          EXPECT_TRUE(shows("lesson_point" + std::to_string(point)))
              << where << ": " << page.points[point - 1] << " is not on the screen";
        EXPECT_EQ(shows("lesson_cover0"), !page.hides.empty()) << where;
        for (const auto& [name, item] : noted_items()) {
          const bool shown = name.starts_with("lesson_point") || name.starts_with("lesson_cover");
          EXPECT_TRUE(!shown || item.p1.y <= state().stage_max.y) << where << ": " << name << " hides words";
        }
      }
}

TEST_F(LessonTest, WhilePresentingTheMapOfAHeadHasLargeDigitsAndTheSettingsStandWhole) {
  ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  open("head_roles", 1);
  set_presenting(state(), true);
  rescale(presenter_scale(state(), 1280, 720));
  frames(4);
  const DisplayList list = drawn();
  const auto weight = std::find_if(list.items().begin(), list.items().end(),
                                   [&](const DrawItem& item) { return list.text(item).starts_with("0.9"); });
  ASSERT_NE(weight, list.items().end());
  EXPECT_GE(weight->face.em * 0.73f, 18.f);
  open("scores_to_words", 4);
  rescale(presenter_scale(state(), 1280, 720));
  frames(4);
  EXPECT_LT(noted_items().at("generate").p1.y, state().stage_max.y);
}

TEST_F(LessonTest, TheSecondWindowHasNotesAnswerAndWhatIsNext) {
  open("nine_steps", 1);
  EXPECT_EQ(state().lessons.right_words(), "0.1871");
  EXPECT_NE(state().lessons.where().find("2 / 9"), std::string::npos);
  set_presenting(state(), true);
  EXPECT_FALSE(state().presenter.notes) << "one screen";
  key(compat::Key::n);
  EXPECT_TRUE(state().presenter.notes);
  set_presenting(state(), false);
  state().screens = 2;
  set_presenting(state(), true);
  EXPECT_TRUE(state().presenter.notes);
  ImGui::NewFrame();
  draw_speaker(state(), Mirror{{}, ImVec2(1280, 720), ImVec2(640, 360)});
  ImGui::Render();
  state().lessons.go(state(), 8);
  settle();
  EXPECT_EQ(state().lessons.right_words(), "input[pos=0,d_model=1]=2") << "of this page";
  ImGui::NewFrame();
  draw_speaker(state(), Mirror{});  // the last page, nothing mirrored yet
  ImGui::Render();
  state().lessons.close(state());
  frames();
  ImGui::NewFrame();
  draw_speaker(state(), Mirror{});  // a walk without a lesson
  ImGui::Render();
  EXPECT_TRUE(missing_keys().empty()) << missing_keys().front();
}

TEST_F(LessonTest, ProgressThatCannotBeReadIsToldAndLeftAlone) {
  const testing::TempFolder folder;
  const std::string path = folder.path() + "/progress.json";
  std::ofstream(path) << "{\"learners\": 3}";
  state().lessons.keep_in(path);
  open("nine_steps", 1);
  type_answer("0.1871");
  EXPECT_TRUE(draft().verdict && draft().verdict->right);
  frames();
  ASSERT_EQ(state().notices.size(), 1u);
  EXPECT_NE(state().notices[0].text.str().find(path), std::string::npos);
  EXPECT_FALSE(state().notices[0].hint.empty());
  std::ifstream file(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "{\"learners\": 3}");
}

TEST_F(LessonTest, WorksheetsAndDraftsAskForAFile) {
  open("nine_steps");
  ASSERT_TRUE(perform(state(), "learn.answers"));
  auto question = state().commands.take_question();
  ASSERT_TRUE(question);
  EXPECT_EQ(question->name, "nine_steps-answers.html");
  question->chosen(*session_, "/nowhere/x.html");
  ASSERT_TRUE(state().sheet_request);
  EXPECT_EQ(state().sheet_request->lesson, "nine_steps");
  EXPECT_TRUE(state().sheet_request->answers);
  const testing::TempFolder folder;
  const std::string path = folder.path() + "/My lesson.json";
  ASSERT_TRUE(perform(state(), "learn.draft"));
  question = state().commands.take_question();
  ASSERT_TRUE(question);
  question->chosen(*session_, path);
  const auto lesson = read_lesson(path);
  ASSERT_TRUE(lesson) << lesson.error().text();
  EXPECT_EQ(lesson->id, "my_lesson");
}

}  // namespace
}  // namespace attnscope
