// Drives the whole frame without a screen: a session, the frame, keys, clicks on named items, and frames that
// last exactly 1/60 s. Waits for the session's jobs, never for a time. Refuses to click what cannot be seen.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "app/look/imgui_compat.h"
#include "app/look/item_map.h"
#include "app/look/key_controls.h"
#include "app/shell/frame.h"
#include "app/widgets/navigation.h"
#include "core/base/words.h"
#include "tests/app/widgets/imgui_fixture.h"

namespace attnscope::testing {

class FrameTest : public ImguiFixture {
 protected:
  void SetUp() override {
    ImguiFixture::SetUp();
    ImGui::GetIO().ConfigInputTextCursorBlink = false;
    note_items(true);
    key_pointer() = {};
    session_ = std::make_unique<Session>();
    frame_ = std::make_unique<Frame>(*session_);
  }
  void TearDown() override {
    frame_.reset();
    session_.reset();
    note_items(false);
    set_theme(ThemeKind::dark);
    set_contrast(false);
    set_safe_colours(false);
    (void)set_language("en");
    ImguiFixture::TearDown();
  }

  FrameState& state() { return frame_->state(); }
  Workspace& workspace() { return state().workspace; }
  const RunResult& run() { return *session_->result(); }
  const Document& document() { return session_->document(); }

  /// The storyteller in Ask with all its settings; then a click on `item`. Skips without models.
  void ask_the_storyteller(const char* item) {
    if (!open_shipped_or_skip("storyteller")) return;
    workspace().view = "ask", workspace().ask_more = true;
    settle();
    click(item);
    settle();
  }
  /// Opens a shipped model; false, and the test is skipped, where the program was built without them.
  bool open_shipped_or_skip(const std::string& name) {
    if (state().models().empty()) {
      [] { GTEST_SKIP() << "built without models"; }();
      return false;
    }
    state().open(kModelPrefix + name);
    settle();
    EXPECT_TRUE(session_->result()) << name;
    return session_->result() != nullptr;
  }
  void frames(int count = 2) {
    for (int i = 0; i < count; ++i) {
      begin_items();
      painter_.begin_frame();
      feed_key_pointer(ImGui::GetIO());
      ImGui::NewFrame();
      frame_->draw(painter_);
      ImGui::Render();
    }
  }
  /// Until no job is left and what they made is drawn.
  void settle() {
    for (int quiet = 0; quiet < 3;) {
      session_->wait();
      frames(1);
      quiet = session_->workers().any_busy() ? 0 : quiet + 1;
    }
  }
  void open_default() {
    state().open_shipped(kDefaultScene);
    settle();
    ASSERT_TRUE(session_->result());
  }
  /// In the easy window, without motion.
  void open_easy(const std::string& name, bool scene = false) {
    workspace().animate = false;
    workspace().level = Level::easy;
    scene ? state().open_shipped(name) : state().open_shipped_model(name);
    settle();
    ASSERT_TRUE(session_->result());
  }
  void open_model(const std::string& name) {
    state().open(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/" + name);
    settle();
    ASSERT_TRUE(session_->result()) << name;
  }
  void key(compat::Key which, bool ctrl = false, bool shift = false) {
    ImGuiIO& io = ImGui::GetIO();
    compat::feed_modifiers(io, ctrl, shift, false);
    compat::feed_key(io, which, true);
    frames();
    compat::feed_key(io, which, false);
    compat::feed_modifiers(io, false, false, false);
    frames();
  }
  void type(const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t begin = at++;
      while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0u) == 0x80u) ++at;
      ImGui::GetIO().AddInputCharactersUTF8(text.substr(begin, at - begin).c_str());
      frames(1);
    }
    frames();
  }
  /// Over the text of the input bar.
  void type_over(const std::string& text) {
    key(compat::Key::t, true);
    key(compat::Key::a, true);
    type(text);
  }
  bool shows(const std::string& item) { return noted_items().count(item) > 0; }
  void click(const std::string& item, int button = 0) {
    ASSERT_TRUE(shows(item)) << "nothing on screen is called " << item;
    const ItemRect rect = noted_items().at(item);
    point_at((rect.p0.x + rect.p1.x) / 2, (rect.p0.y + rect.p1.y) / 2);
    frames();
    compat::feed_mouse_button(ImGui::GetIO(), button, true);
    frames();
    compat::feed_mouse_button(ImGui::GetIO(), button, false);
    frames();
  }
  /// The middle of a cell of a matrix on screen.
  void point_at_cell(const std::string& matrix, std::int64_t row, std::int64_t col) {
    ASSERT_TRUE(shows(matrix)) << matrix;
    const ItemRect r = noted_items().at(matrix);
    point_at(r.p0.x + (r.p1.x - r.p0.x) * (static_cast<float>(col) + 0.5f) / static_cast<float>(r.cols),
             r.p0.y + (r.p1.y - r.p0.y) * (static_cast<float>(row) + 0.5f) / static_cast<float>(r.rows));
    frames();
  }
  void click_in(const std::string& matrix, std::int64_t row, std::int64_t col, int button = 0) {
    point_at_cell(matrix, row, col);
    for (const bool down : {true, false}) {
      compat::feed_mouse_button(ImGui::GetIO(), button, down);
      frames();
    }
  }
  /// What some frames draw, as a list.
  DisplayList drawn(int count = 1) {
    DisplayList out;
    state().recording = &out;
    frames(count);
    state().recording = nullptr;
    return out;
  }
  /// From its middle, so many pixels to the right.
  void drag(const std::string& item, float by) {
    ASSERT_TRUE(shows(item)) << "nothing on screen is called " << item;
    const ItemRect rect = noted_items().at(item);
    const ImVec2 from((rect.p0.x + rect.p1.x) / 2, (rect.p0.y + rect.p1.y) / 2);
    point_at(from.x, from.y);
    frames();
    compat::feed_mouse_button(ImGui::GetIO(), 0, true);
    frames();
    point_at(from.x + by, from.y);
    frames();
    compat::feed_mouse_button(ImGui::GetIO(), 0, false);
    frames();
  }
  /// By its tab, or by the list of its group or of all.
  void click_view(const std::string& id) {
    if (shows("tab_" + id)) return click("tab_" + id);
    const View* view = state().view(id);
    ASSERT_TRUE(view) << id;
    const std::string group = std::string("tabs_") + group_name(view->group());
    click(shows(group) ? group : "tab_more");
    click("behind_" + id);
  }
  int step() { return current_step(workspace(), run()); }

  std::unique_ptr<Session> session_;
  std::unique_ptr<Frame> frame_;
};

}  // namespace attnscope::testing
