// Presenting: the figure alone, pages forward and exactly back, black, pen, and everything as before at the
// end.
#include "app/state/presenter.h"

#include "app/shell/presenter_sheet.h"
#include "app/state/actions.h"
#include "core/base/names.h"
#include "tests/app/ui_driver.h"

namespace attnscope {
namespace {

using compat::Key;
using testing::FrameTest;

class PresenterTest : public FrameTest {
 protected:
  void SetUp() override {
    FrameTest::SetUp();
    ImGui::GetIO().DisplaySize = ImVec2(1280, 720);
  }
};

TEST_F(PresenterTest, TheFigureAloneAndThenAllAsBefore) {
  open_default();
  workspace().map_width = 250;
  workspace().second_view = "mask";
  frames();
  ASSERT_TRUE(shows("toolbar.file"));
  const auto before = noted_items();
  key(Key::f5);
  EXPECT_TRUE(state().presenter.on);
  EXPECT_TRUE(contrast());
  for (const char* away : {"toolbar.file", "play", "tab_steps", "split_map", "chip0"})
    EXPECT_FALSE(shows(away)) << away;
  ASSERT_TRUE(shows("matrix.steps/result"));
  EXPECT_FALSE(shows("second.matrix.steps/result"));
  const ItemRect &large = noted_items().at("matrix.steps/result"), &small = before.at("matrix.steps/result");
  EXPECT_GT(large.p1.x - large.p0.x, small.p1.x - small.p0.x);
  key(Key::escape);
  EXPECT_FALSE(state().presenter.on);
  EXPECT_FALSE(contrast());
  settle();
  EXPECT_EQ(workspace().map_width, 250);
  EXPECT_EQ(workspace().second_view, "mask");
  EXPECT_EQ(state().settings.zoom, 1.f);
  for (const auto& [name, rect] : before) {
    ASSERT_TRUE(shows(name)) << name;
    EXPECT_EQ(noted_items().at(name).p0.x, rect.p0.x) << name;
    EXPECT_EQ(noted_items().at(name).p1.y, rect.p1.y) << name;
  }
}

// Nothing that lies under a mouse that nobody moves changes the slide.
TEST_F(PresenterTest, APointerThatRestsPointsAtNothing) {
  open_default();
  ASSERT_TRUE(shows("matrix.steps/result"));
  const ItemRect at = noted_items().at("matrix.steps/result");
  compat::feed_mouse_pos(ImGui::GetIO(), (at.p0.x + at.p1.x) / 2, (at.p0.y + at.p1.y) / 2);
  frames();
  EXPECT_TRUE(ImGui::IsMousePosValid()) << "it points in the window";
  key(Key::f5);
  frames();
  EXPECT_FALSE(ImGui::IsMousePosValid());
  EXPECT_EQ(ImGui::GetMouseCursor(), ImGuiMouseCursor_None);
  compat::feed_mouse_pos(ImGui::GetIO(), 500, 300);
  frames();
  EXPECT_TRUE(ImGui::IsMousePosValid()) << "moved, it points again";
  EXPECT_NE(ImGui::GetMouseCursor(), ImGuiMouseCursor_None);
  key(Key::page_down);
  frames();
  EXPECT_FALSE(ImGui::IsMousePosValid()) << "of the next slide";
  compat::feed_mouse_pos(ImGui::GetIO(), 560, 310);
  frames();
  EXPECT_TRUE(ImGui::IsMousePosValid());
}

TEST_F(PresenterTest, AClickerGoesOnAndExactlyBack) {
  open_default();
  key(Key::f5);
  key(Key::page_down);
  key(Key::page_down);
  EXPECT_EQ(step(), 2);
  workspace().cursor.head = 1;
  workspace().cursor.query = 2;
  const Cursor there = workspace().cursor;
  key(Key::equal, true);
  key(Key::pad_minus, true);
  EXPECT_EQ(state().presenter.zoom, 1.f);
  key(Key::pad_plus, true);
  const float zoom = state().presenter.zoom;
  EXPECT_GT(zoom, 1.f);
  EXPECT_EQ(state().settings.zoom, 1.f) << "the window keeps its own";
  key(Key::page_down);
  EXPECT_EQ(step(), 3);
  workspace().view = "attention";
  workspace().cursor.head = 0;
  key(Key::n0, true);
  key(Key::page_up);
  EXPECT_EQ(workspace().cursor, there);
  EXPECT_EQ(workspace().view, "steps");
  EXPECT_EQ(state().presenter.zoom, zoom);
  key(Key::page_up);
  key(Key::page_up);
  EXPECT_EQ(step(), 0);
  key(Key::page_up);
  EXPECT_EQ(step(), 0);
}

TEST_F(PresenterTest, BlackByBothKeysAndTheNextPageOnlyLiftsIt) {
  open_default();
  key(Key::f5);
  key(Key::b);
  EXPECT_TRUE(state().presenter.black);
  EXPECT_FALSE(workspace().backward) << "B means another thing in the window";
  key(Key::page_down);
  EXPECT_FALSE(state().presenter.black);
  EXPECT_EQ(step(), 0);
  key(Key::period);
  EXPECT_TRUE(state().presenter.black);
  key(Key::period);
  EXPECT_FALSE(state().presenter.black);
  key(Key::f5);
  EXPECT_FALSE(state().presenter.on);
  key(Key::b);
  EXPECT_TRUE(workspace().backward);
}

TEST_F(PresenterTest, ThePenDrawsNothingIsClickedAndStrokesStay) {
  open_default();
  key(Key::f5);
  key(Key::p);
  ASSERT_TRUE(state().presenter.pen);
  EXPECT_FALSE(session_->pinned()) << "P means another thing in the window";
  const ItemRect cells = noted_items().at("matrix.steps/result");
  point_at(cells.p0.x + 20, cells.p0.y + 20);
  frames();
  compat::feed_mouse_button(ImGui::GetIO(), 0, true);
  frames();
  for (int i = 0; i < 10; ++i) {
    point_at(cells.p0.x + 20 + 6 * static_cast<float>(i), cells.p0.y + 20);
    frames(1);
  }
  compat::feed_mouse_button(ImGui::GetIO(), 0, false);
  frames();
  EXPECT_FALSE(workspace().cursor.pinned) << "the sheet of the pen lies over the figure";
  ASSERT_EQ(state().presenter.strokes.size(), 1u);
  EXPECT_GT(state().presenter.strokes[0].points.size(), 5u);
  frames(20 * 60);
  EXPECT_EQ(state().presenter.strokes.size(), 1u);
  EXPECT_FALSE(frame_->moving()) << "what stands still asks for no frames";
  key(Key::p);
  EXPECT_FALSE(state().presenter.pen);
}

TEST_F(PresenterTest, StrokesStayOnTheirPage) {
  open_default();
  key(Key::f5);
  const auto seen = [&] {
    return std::count_if(
        state().presenter.strokes.begin(), state().presenter.strokes.end(),
        [&](const Presenter::Stroke& stroke) { return stroke.page == presented_page(state()); });
  };
  state().presenter.strokes.push_back({presented_page(state()), {ImVec2(0.1f, 0.1f), ImVec2(0.2f, 0.2f)}});
  EXPECT_EQ(seen(), 1);
  key(Key::page_down);
  EXPECT_EQ(seen(), 0);
  state().presenter.strokes.push_back({presented_page(state()), {ImVec2(0.3f, 0.1f), ImVec2(0.2f, 0.2f)}});
  key(Key::page_up);
  EXPECT_EQ(seen(), 1) << "and is there when the page is";
  key(Key::e);
  EXPECT_EQ(seen(), 0);
  key(Key::page_down);
  EXPECT_EQ(seen(), 1) << "what is wiped is that of the page";
}

TEST_F(PresenterTest, PageKeysTurnWhereTheHintSaysSo) {
  open_default();
  key(Key::f5);
  EXPECT_TRUE(has_pages(state()));
  workspace().view = "attention";
  frames();
  EXPECT_FALSE(has_pages(state())) << "and nothing is said of them";
  const Cursor before = workspace().cursor;
  key(Key::page_down);
  EXPECT_EQ(workspace().cursor, before) << "no step is taken where nobody sees it";
  workspace().view = "labs";
  EXPECT_TRUE(has_pages(state()));
}

TEST_F(PresenterTest, AAndBStandSideBySideWithTheirNames) {
  open_default();
  perform(state(), "compare.pin");
  workspace().second_view = "steps";
  workspace().shows_pinned = {true, false};
  key(Key::f5);
  EXPECT_TRUE(presents_pair(state()));
  EXPECT_TRUE(shows("matrix.steps/result"));
  EXPECT_TRUE(shows("second.matrix.steps/result"));
  const DisplayList list = drawn();
  int names = 0;
  for (const DrawItem& item : list.items())
    names += item.kind == DrawItem::Kind::text &&
             (list.text(item) == tr("compare.a") || list.text(item) == tr("compare.b"));
  EXPECT_EQ(names, 2);
}

TEST_F(PresenterTest, SpotlightAndMagnifierToggleOrAreHeld) {
  open_default();
  EXPECT_EQ(magnifier(state()).factor, 1.f);
  key(Key::f5);
  point_at(400, 300);
  key(Key::s);
  EXPECT_TRUE(state().presenter.spotlight.on) << "a short press leaves it on";
  key(Key::s);
  EXPECT_FALSE(state().presenter.spotlight.on);
  compat::feed_key(ImGui::GetIO(), Key::m, true);
  frames(40);
  EXPECT_TRUE(state().presenter.magnifier.on);
  EXPECT_GT(magnifier(state()).factor, 1.5f);
  EXPECT_EQ(magnifier(state()).at.x, 400);
  compat::feed_key(ImGui::GetIO(), Key::m, false);
  frames();
  EXPECT_FALSE(state().presenter.magnifier.on) << "held for long: it ends with the key";
}

TEST_F(PresenterTest, PagesOfALessonComeFirst) {
  open_default();
  int turned = 0;
  state().pages = [&](FrameState&, int by) { turned += by; };
  key(Key::page_down);
  key(Key::page_down);
  key(Key::page_up);
  EXPECT_EQ(turned, 1);
  EXPECT_EQ(step(), 0);
  state().pages = {};
}

TEST_F(PresenterTest, DigitsAreLargeAtEverySize) {
  workspace().view = "steps";
  // Digits of the monospaced face are 0.73 of its 12.5 units tall.
  EXPECT_GE(presenter_scale(state(), 1280, 720) * 12.5f * 0.73f, 18.f);
  EXPECT_GE(presenter_scale(state(), 1920, 1080) * 12.5f * 0.73f, 27.f);
  for (const char* view : {"position", "mask", "residual", "mlp", "kv", "embedding", "ask"}) {
    workspace().view = view;
    EXPECT_GE(presenter_scale(state(), 1280, 720) * 11, 18.f) << view;
  }
}

}  // namespace
}  // namespace attnscope
