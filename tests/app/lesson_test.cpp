// Lessons in the window, without a screen: every page of every lesson shows what it points at and covers what
// it hides; answers, hints and pages by clicks and keys; names that lesson files may use are those of the
// window.
#include <algorithm>
#include <fstream>

#include "app/panels/lesson/lesson_panel.h"
#include "app/panels/lesson/speaker.h"
#include "app/state/actions.h"
#include "app/widgets/matrix_lens.h"
#include "core/lesson/lesson_file.h"
#include "tests/app/ui_driver.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

class LessonTest : public testing::FrameTest {
 protected:
  void open(const std::string& id, int page = 0) {
    const Status begun = state().lessons.start(state(), id, page);
    ASSERT_TRUE(begun) << begun.error().text();
    settle();
    ASSERT_TRUE(state().lessons.ready()) << id;
    frames(3);
  }
  const PageDraft& draft() { return state().lessons.draft(); }
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
      EXPECT_EQ(shows("lesson_cover0"), !page.hides.empty()) << lesson.id << "/" << page.id;
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
  EXPECT_LT(noted_items().at("lesson_next").p1.y, noted_items().at("split_timeline").p0.y);
  EXPECT_LT(noted_items().at("lesson_page_8").p1.y, noted_items().at("split_timeline").p0.y);
  click("lesson_next");
  settle();
  EXPECT_EQ(state().lessons.page_index(), 1);
}

TEST_F(LessonTest, ABiasStandsClearOfTheTitleUnderIt) {
  ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  open("nine_steps", 6);
  const float line = ImGui::GetTextLineHeight() * 0.8f;
  EXPECT_LT(noted_items().at("matrix.steps/bias").p1.y, noted_items().at("matrix.steps/result").p0.y - line);
}

TEST_F(LessonTest, TheLensKeepsWhatAPageHides) {
  ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  open("inside_block", 1);
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
  EXPECT_FALSE(shows("lesson_cover0")) << "the guess uncovers the row";
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
  EXPECT_EQ(workspace().cursor.key, 2) << "the cat";
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
  DisplayList list;
  state().recording = &list;
  frames(1);
  state().recording = nullptr;
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
        DisplayList list;
        state().recording = &list;
        frames(1);
        state().recording = nullptr;
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
  DisplayList list;
  state().recording = &list;
  frames(1);
  state().recording = nullptr;
  const auto weight = std::find_if(list.items().begin(), list.items().end(),
                                   [&](const DrawItem& item) { return list.text(item).starts_with("0.9"); });
  ASSERT_NE(weight, list.items().end());
  EXPECT_GE(weight->face.em * 0.73f, 18.f);
  open("scores_to_words", 2);
  rescale(presenter_scale(state(), 1280, 720));
  frames(4);
  EXPECT_LT(noted_items().at("generate").p1.y, state().stage_max.y);
}

TEST_F(LessonTest, TheSecondWindowHasNotesAnswerAndWhatIsNext) {
  open("nine_steps", 1);
  EXPECT_EQ(state().lessons.right_words(workspace()), "0.1871");
  EXPECT_NE(state().lessons.where().find("2 / 8"), std::string::npos);
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
  state().lessons.go(state(), 7);
  settle();
  EXPECT_EQ(state().lessons.right_words(workspace()), "input[pos=0,d_model=1]=2") << "of this page";
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
