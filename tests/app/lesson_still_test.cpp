// Lessons in the window: what is typed stays whole, keys lead nowhere while a question is open, nothing moves
// under the mouse, and what a page hides is said by no table beside the stage.
#include <algorithm>

#include "app/state/actions.h"
#include "app/state/shown_figure.h"
#include "core/lesson/leaks.h"
#include "tests/app/lesson_driver.h"

namespace attnscope {
namespace {

class LessonStillTest : public testing::LessonFrameTest {
 protected:
  void SetUp() override {
    LessonFrameTest::SetUp();
    ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  }
  /// A text that is drawn on the screen has this in it.
  bool says(const std::string& part) {
    const DisplayList list = drawn(3);
    const auto& items = list.items();
    return std::any_of(items.begin(), items.end(), [&](const DrawItem& item) {
      return item.kind == DrawItem::Kind::text && list.text(item).find(part) != std::string_view::npos;
    });
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
  open("loss", 1);
  settle();
  EXPECT_TRUE(workspace().hides_loss);
  EXPECT_FALSE(says("1.7960"));
  click("choice_smaller");
  settle();
  ASSERT_TRUE(draft().verdict && draft().verdict->right);
  EXPECT_FALSE(workspace().hides_loss);
}

// The large row below the matrices, and what a click on a covered cell would spell out below them.
TEST_F(LessonStillTest, TheLargeRowBelowTheMatricesObeysWhatIsHidden) {
  const std::pair<const char*, int> pages[] = {{"query_key_value", 0}, {"query_key_value", 5}};
  ImGui::GetIO().DisplaySize = ImVec2(1012, 720);  // its matrices are too small for large digits
  for (const auto& [lesson, page] : pages) {
    open(lesson, page);
    const auto rows = [this] {
      const DisplayList list = drawn(2);
      const auto groups = list.groups();
      return std::count_if(groups.begin(), groups.end(),
                           [](const DrawGroup& one) { return one.what == "row"; });
    };
    EXPECT_EQ(rows(), 0) << lesson << " " << page;
    click("lesson_cover0");
    frames(2);
    EXPECT_FALSE(workspace().cursor.pinned) << lesson << " " << page << ": its sum would stand below";
    state().lessons.show_me(state());
    frames(4);
    ASSERT_TRUE(draft().verdict && draft().verdict->right) << lesson << " " << page;
    EXPECT_GT(rows(), 0) << lesson << " " << page << ": answered";
  }
}

TEST_F(LessonStillTest, NoTextOnTheScreenSaysAShapeThatIsAskedForHereOrOnALaterPage) {
  ImGui::GetIO().DisplaySize = ImVec2(1920, 1080);
  open("nine_steps", 0);
  EXPECT_FALSE(says("(2, 4, 2)"));
  open("gqa_cache", 0);
  EXPECT_FALSE(says("(1, 2, 11, 16)"));
  for (const int page : {1, 2, 3}) {
    open("nine_steps", page);
    EXPECT_TRUE(workspace().hides_shapes) << page;
    EXPECT_FALSE(says("(2, 2, 4, 4)")) << page;
  }
  state().lessons.show_me(state());
  settle();
  ASSERT_TRUE(draft().verdict && draft().verdict->right);
  EXPECT_FALSE(workspace().hides_shapes);
  EXPECT_TRUE(says("(2, 2, 4, 4)"));
  open("why_sqrt", 1);
  EXPECT_FALSE(says("0.25")) << "the code has the divisor";
  state().lessons.show_me(state());
  settle();
  EXPECT_TRUE(says("0.25"));
}

TEST_F(LessonStillTest, WhatAStepDoesIsNotSaidWhereItIsToBePredicted) {
  const std::string held = tr("steps.sentence.held");
  const std::tuple<const char*, int, bool> pages[] = {
      {"nine_steps", 2, true}, {"nine_steps", 6, true}, {"masks", 4, false}, {"loss", 1, true}};
  for (const auto& [lesson, page, covered] : pages) {
    open(lesson, page);
    settle();
    EXPECT_TRUE(says(held)) << lesson << " " << page;
    EXPECT_EQ(shows("lesson_cover0"), covered) << lesson << " " << page << ": the result";
    state().lessons.show_me(state());
    settle();
    EXPECT_FALSE(says(held)) << lesson << " " << page;
    EXPECT_FALSE(shows("lesson_cover0")) << lesson << " " << page;
  }
  open("nine_steps", 1);
  EXPECT_FALSE(says(held)) << "a number to compute: the sentence says how";
}

// A cover is a window of its own, over that of the thumbnails: all heads may say the same.
TEST_F(LessonStillTest, TheRowIsCoveredInTheThumbnailsOfAllHeads) {
  const std::pair<const char*, int> pages[] = {
      {"head_roles", 0}, {"encoder_decoder", 1}, {"encoder_decoder", 2}, {"induction_head", 2}};
  for (const auto& [lesson, page] : pages) {
    open(lesson, page);
    int thumbnails = 0, covers = 0;
    for (const auto& [name, item] : noted_items()) {
      if (!name.starts_with("thumb_") || !item.in_sight()) continue;
      ++thumbnails;
      const auto cover = noted_items().find("lesson_" + name);
      if (cover == noted_items().end()) continue;
      ++covers;
      EXPECT_LE(cover->second.p0.x, item.seen0.x) << lesson << " " << name;
      EXPECT_GE(cover->second.p1.x, item.seen1.x) << lesson << " " << name;
    }
    EXPECT_GT(thumbnails, 3) << lesson;
    EXPECT_EQ(covers, thumbnails) << lesson;
    // Lists of windows that are drawn later lie over the others.
    const ImDrawData* drawn = ImGui::GetDrawData();
    int map = -1, cover = -1;
    for (int i = 0; i < drawn->CmdListsCount; ++i) {
      const std::string owner = drawn->CmdLists[i]->_OwnerName ? drawn->CmdLists[i]->_OwnerName : "";
      if (owner.find("lesson_thumb_") != std::string::npos)
        cover = i;
      else if (owner.find("heads") != std::string::npos)
        map = i;
    }
    EXPECT_GT(cover, map) << lesson;
    EXPECT_GE(map, 0) << lesson;
  }
}

// The picture stands there, for one bets on a patch of it; what the head sees in it does not.
TEST_F(LessonStillTest, TheRowOfTheCupIsCoveredInTheMapToo) {
  open("robot_policy", 1);
  const auto hidden = state().lessons.hidden();
  EXPECT_TRUE(hides_row(hidden, *parse_site("blocks.1.attn.pattern"), 3, 19));
  EXPECT_FALSE(says("0.969")) << "the captions";
  const auto over_image = [&](DrawItem::Kind kind) {
    const DisplayList list = drawn(2);
    const ItemRect image = noted_items().at("attention.image");
    return std::count_if(list.items().begin(), list.items().end(), [&](const DrawItem& item) {
      return item.kind == kind && item.p0.x >= image.p0.x - 1 && item.p0.y >= image.p0.y - 1 &&
             item.p1.x <= image.p1.x + 1 && item.p1.y <= image.p1.y + 1 &&
             (kind != DrawItem::Kind::rect || (item.fill >> IM_COL32_A_SHIFT) != 0);
    });
  };
  EXPECT_GT(over_image(DrawItem::Kind::picture), 0);
  EXPECT_EQ(over_image(DrawItem::Kind::rect), 0) << "a veil on each patch says its weight";
  EXPECT_EQ(over_image(DrawItem::Kind::circle), 0) << "the hand goes to the cup";
  click("choice_red_cup");
  frames(2);
  EXPECT_GE(over_image(DrawItem::Kind::rect), 16);
  EXPECT_GT(over_image(DrawItem::Kind::circle), 0);
}

// ".99" fits into a cell; 0.997 is written, too.
TEST_F(LessonStillTest, ACellOfNearlyOneHasItsNumber) {
  ASSERT_TRUE(set_language("ko"));
  open("encoder_decoder", 1);
  const DisplayList list = drawn(3);
  const auto& items = noted_items();
  const auto map = std::find_if(items.begin(), items.end(), [](const auto& one) {
    return one.first.starts_with("matrix.") && one.second.rows == 12 && one.second.cols == 12;
  });
  ASSERT_NE(map, items.end());
  int ones = 0, parts = 0;
  for (const DrawItem& item : list.items()) {
    const ItemRect& in = map->second;
    if (item.kind != DrawItem::Kind::text || item.p0.x < in.p0.x || item.p0.x > in.p1.x ||
        item.p0.y < in.p0.y || item.p0.y > in.p1.y)
      continue;
    ones += list.text(item).starts_with("1.") ? 1 : 0;
    parts += list.text(item).starts_with(".") ? 1 : 0;
  }
  EXPECT_GT(parts, 50);
  EXPECT_GT(ones, 0);
  // No chip of the decoder is cut by what stands behind it.
  for (const auto& [name, item] : items)
    if (name.starts_with("chip") && item.seen1.x > item.seen0.x + 1 && item.p0.y > 80) {
      EXPECT_GE(item.seen1.x, item.p1.x - 1) << name;
    }
}

TEST_F(LessonStillTest, EditsOfThePageItselfAreNotCalledEdits) {
  open("masks", 1);
  ASSERT_FALSE(document().edits.empty());
  EXPECT_FALSE(says("edited:")) << "the page's";
  ASSERT_TRUE(session_->edit(Text("by hand"), {}, [](Document& document) {
    put_edit(document, *parse_edit("blocks.0.attn.v[pos=0,head*d_head=0]=3"));
    return Status(Done{});
  }));
  settle();
  EXPECT_TRUE(says("edited:")) << "one's own";
}

// ---- back to the page -----------------------------------------------------------------------------------

TEST_F(LessonStillTest, BackToThePageNoticesStepsHeadsSequencesBackwardAndSplit) {
  const auto leads_back = [this](const char* what, const std::function<void()>& wander) {
    open("nine_steps", 8);
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
      // With the reason one reads on: then the words scroll, and the choices and the reason stand there
      // whole.
      const auto whole = [&](const std::string& id) {
        const auto found = noted_items().find("choice_" + id);
        return found != noted_items().end() && found->second.p1.y <= noted_items().at("lesson_said").p0.y;
      };
      std::vector<float> before;
      for (const auto& choice : ask->choices) before.push_back(place(choice.id));
      EXPECT_GT(before.front(), 0) << lesson << " " << page;
      for (const auto& tried : ask->choices) {
        state().lessons.draft().choice = tried.id;
        state().lessons.check(workspace());
        frames(5);
        if (state().lessons.told()) {
          if (std::string(lesson) == "detective") continue;  // its looks and choices fill the panel
          for (const auto& choice : ask->choices)
            EXPECT_TRUE(whole(choice.id))
                << lesson << " " << page << " after " << tried.id << " " << language;
          continue;
        }
        const bool full = std::string(lesson) == "detective";  // its last choice may lie under the verdict
        for (std::size_t i = 0; i < before.size() - (full ? 1 : 0); ++i)
          EXPECT_EQ(place(ask->choices[i].id), before[i])
              << lesson << " " << page << " after " << tried.id << " " << language;
      }
    }
  }
}

TEST_F(LessonStillTest, AFigureHasTheRoomOfThePanelsThatItsPageDoesNotName) {
  open("query_key_value", 2);
  EXPECT_FALSE(shows("split_map"));
  EXPECT_FALSE(shows("timeline.steps"));
  ImGui::GetIO().DisplaySize = ImVec2(1920, 1080);
  frames(3);
  EXPECT_TRUE(shows("split_map")) << "there is room for both";
  ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  open("inside_block", 0);
  EXPECT_TRUE(shows("timeline.steps")) << "its hint names it";
}

TEST_F(LessonStillTest, ALegendDoesNotEndAtTheNumberThatIsAskedFor) {
  open("query_key_value", 5);
  const auto says_half = [this] {
    const DisplayList list = drawn(3);
    return std::any_of(list.items().begin(), list.items().end(), [&](const DrawItem& item) {
      return item.kind == DrawItem::Kind::text && list.text(item) == "0.5";
    });
  };
  EXPECT_FALSE(says_half());
  type("0.5");
  frames(3);
  click("lesson_check");
  frames(4);
  ASSERT_TRUE(draft().verdict && draft().verdict->right);
  EXPECT_TRUE(says_half()) << "the legend of Z";
}

TEST_F(LessonStillTest, TheColumnsThatAPageNamesAreNumbered) {
  open("query_key_value", 2);  // "columns 4 to 7" of the input
  const DisplayList list = drawn(3);
  const auto is_seven = [&](const DrawItem& item) {
    return item.kind == DrawItem::Kind::text && list.text(item) == "7";
  };
  EXPECT_TRUE(std::any_of(list.items().begin(), list.items().end(), is_seven));
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
    for (int page = 0; page < 5; ++page) {
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
  const auto tooltip = [] {
    const ImDrawData* drawn = ImGui::GetDrawData();
    for (int i = 0; i < drawn->CmdListsCount; ++i)
      if (std::string(drawn->CmdLists[i]->_OwnerName).starts_with("##Tooltip")) return true;
    return false;
  };
  frames(40);
  EXPECT_FALSE(tooltip()) << "it would lie over what is to be clicked";
  const ImVec2 over = noted_items().at("blocks.*.attn.scaling=off").p0;
  point_at(over.x + 4, over.y + 4);
  frames(40);
  EXPECT_TRUE(tooltip()) << "the pointer moved there";
}

}  // namespace
}  // namespace attnscope
