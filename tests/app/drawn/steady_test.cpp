// Frames in which nothing changes: they draw no pixel, and ask the heap for little. Frames in which something
// does: the parts that are drawn anew give the picture that drawing all of it gives. Skips where no context
// without a display can be made.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/look/imgui_compat.h"
#include "app/shell/bench_frames.h"
#include "tests/app/drawn/drawn_test.h"

namespace attnscope {
namespace {

constexpr int kSteadyWidth = 1280, kSteadyHeight = 800;

class Steady : public DrawnTest {
 protected:
  void SetUp() override {
    start(kSteadyWidth, kSteadyHeight);
    if (IsSkipped() || HasFatalFailure()) return;
    frame_->state().open(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/gpt2");
    session_->wait();
    settle(*session_, *host_, *frame_, 4);
    ASSERT_TRUE(session_->result());
  }
  void frame() { draw_frames(1, *host_, *frame_); }
  void show(const std::string& view) {
    frame_->state().workspace.view = view;
    compat::feed_mouse_pos(ImGui::GetIO(), -1, -1);
    settle(*session_, *host_, *frame_, 6);
  }
  /// Of the next frames.
  std::int64_t fewest_allocations() {
    std::int64_t fewest = 1 << 30;
    for (int i = 0; i < 5; ++i) {
      const std::int64_t begin = allocations_counted;
      frame();
      fewest = std::min(fewest, allocations_counted - begin);
    }
    return fewest;
  }
  /// Pixels that are other than those of the same frame drawn as a whole.
  int differing() {
    const Image shown = context_->read_pixels();
    const auto whole = host_->picture();
    EXPECT_TRUE(whole.ok());
    if (!whole) return -1;
    int count = 0;
    for (std::size_t at = 0; at < shown.rgba.size(); at += 4)
      count += !std::equal(&shown.rgba[at], &shown.rgba[at] + 4, &whole->rgba[at]);
    return count;
  }
  std::vector<std::string> views() {
    std::vector<std::string> out;
    for (const auto& view : frame_->state().views)
      if (view->unavailable(*session_->result()).empty()) out.emplace_back(view->id());
    return out;
  }
};

TEST_F(Steady, FramesDrawNothing) {
  for (const std::string& view : views()) {
    show(view);
    frame();
    EXPECT_EQ(host_->pixels_drawn(), 0) << view;
    EXPECT_EQ(differing(), 0) << view;
  }
}

TEST_F(Steady, FramesAskTheHeapForNothing) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer's own heap is not counted";
#endif
  const std::int64_t before = allocations_counted;
  const auto probe = std::make_unique<int>(1);
  ASSERT_GT(allocations_counted, before) << "nobody counts (app/counted_new.cpp)";
  Cursor& cursor = frame_->state().workspace.cursor;
  for (const Site& step : {cursor.step, site_of(Slot::pattern, 1)})
    for (const std::string& view : views()) {
      cursor.step = step, cursor.layer = std::max(0, step.layer);
      show(view);
      EXPECT_EQ(fewest_allocations(), 0) << view << " at " << to_text(step);
    }
}

TEST_F(Steady, AskOverADataSetAsksTheHeapForNothing) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer's own heap is not counted";
#endif
  FrameState& state = frame_->state();
  if (state.models().empty()) GTEST_SKIP() << "built without models";
  state.open(std::string(kModelPrefix) + "storyteller");
  session_->wait();
  state.open_data({"task:storyteller", {}, 20, 0});
  session_->wait();
  for (const AskOver over : {AskOver::mean, AskOver::spread}) {
    state.workspace.asking.settings.over = over;
    show("ask");
    ASSERT_TRUE(state.workspace.asking.answer() && state.workspace.asking.answer()->data);
    EXPECT_EQ(fewest_allocations(), 0) << static_cast<int>(over);
    EXPECT_EQ(host_->pixels_drawn(), 0);
  }
  for (const AskPage page : {AskPage::texts, AskPage::circuit}) {
    state.workspace.asking.settings.page = page;
    show("ask");
    EXPECT_EQ(fewest_allocations(), 0) << name_of_value(page, kAskPages);
  }
}

TEST_F(Steady, TheEasyWindowAsksTheHeapForNothing) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer's own heap is not counted";
#endif
  frame_->state().workspace.level = Level::easy;
  for (const ViewSpec* view : view_specs()) {
    if (!view->model) continue;
    show(view->id);
    for (int i = 0; i < 6; ++i) frame();
    EXPECT_EQ(fewest_allocations(), 0) << view->id;
  }
  frame_->state().workspace.station = "weight";  // of the way back, whose gradients are computed beside it
  show("training");
  session_->wait();
  for (int i = 0; i < 6; ++i) frame();
  EXPECT_EQ(fewest_allocations(), 0) << "the way back";
}

// With a card of things to try, and none of it moving.
TEST_F(Steady, TheCardOfThingsToTryAsksTheHeapForNothing) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer's own heap is not counted";
#endif
  FrameState& state = frame_->state();
  if (state.models().empty()) GTEST_SKIP() << "built without models";
  state.workspace.level = Level::easy;
  state.open(std::string(kModelPrefix) + "storyteller");
  session_->wait();
  for (const char* view : {"attention", "embedding", "training"}) {
    show(view);
    for (int i = 0; i < 6; ++i) frame();
    EXPECT_EQ(fewest_allocations(), 0) << view;
    EXPECT_EQ(host_->pixels_drawn(), 0) << view;
  }
}

TEST_F(Steady, TheTableOfACheckAsksTheHeapForNothing) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer's own heap is not counted";
#endif
  if (frame_->state().models().empty()) GTEST_SKIP() << "built without models";
  frame_->state().open(std::string(kModelPrefix) + "storyteller");
  session_->wait();
  for (int i = 0; i < 20; ++i) show("check");
  ASSERT_TRUE(noted_items().contains("check_row_0"));
  EXPECT_EQ(fewest_allocations(), 0);
}

TEST_F(Steady, PartsThatAreDrawnAnewGiveTheWholePicture) {
  const FrameState& state = frame_->state();
  for (const std::string& view : views()) {
    show(view);
    std::int64_t drawn = 0;
    constexpr int kFrames = 14;
    for (int i = 0; i < kFrames; ++i) {
      const float share = static_cast<float>(i) / kFrames;
      const ImVec2 min = state.stage_min, max = state.stage_max;
      compat::feed_mouse_pos(ImGui::GetIO(), min.x + (max.x - min.x) * (0.1f + 0.8f * share),
                             min.y + (max.y - min.y) * (0.9f - 0.6f * share));
      if (i % 5 == 4) compat::feed_wheel(ImGui::GetIO(), i % 2 == 0 ? 1.f : -1.f);
      // By a key: the theme changes in the middle of a frame.
      if (i == 5 || i == 6) compat::feed_key(ImGui::GetIO(), compat::Key::t, i == 5);
      if (i == 9)
        frame_->state().set_theme(theme().kind == ThemeKind::dark ? ThemeKind::light : ThemeKind::dark);
      frame();
      drawn += host_->pixels_drawn();
      ASSERT_EQ(differing(), 0) << view << ", frame " << i;
    }
    EXPECT_LT(drawn, std::int64_t{kFrames} * kSteadyWidth * kSteadyHeight) << view;
  }
  set_theme(ThemeKind::dark);
}

}  // namespace
}  // namespace attnscope
