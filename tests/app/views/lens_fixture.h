// A session with a fixture or scene open, and a view drawn into a window without a screen.
#pragma once

#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "app/figure/canvas.h"
#include "app/look/item_map.h"
#include "app/views/view.h"
#include "core/base/assets.h"
#include "core/base/words.h"
#include "core/session/session.h"
#include "tests/app/widgets/imgui_fixture.h"

namespace attnscope::testing {

class LensViewFixture : public ImguiFixture {
 protected:
  void SetUp() override {
    ImguiFixture::SetUp();
    note_items(true);
  }
  void TearDown() override {
    note_items(false);
    ImguiFixture::TearDown();
  }
  /// Opens it, and types a text over its own where one is given.
  void open(const std::string& what, const std::string& text = {}) {
    session_ = std::make_unique<Session>();
    workspace_ = {};
    if (what == "scene")
      session_->open_scene(std::string(asset("assets/scenes/nine_steps.json")), "nine_steps");
    else
      session_->open(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/" + what);
    session_->wait();
    ASSERT_TRUE(session_->result()) << (session_->error() ? session_->error()->text() : what);
    if (!text.empty()) type(text);
  }
  void type(const std::string& text) {
    ASSERT_TRUE(session_->edit("type", {}, [&](Document& document) { return set_text(document, 0, text); }));
    session_->wait();
  }
  const RunResult& run() const { return *session_->result(); }

  /// One frame of the view, then its commands.
  void show(View& view, ImVec2 size = ImVec2(880, 640)) {
    const auto result = session_->result(), before = session_->previous();
    begin_items();
    frame([&] { view.draw({*session_, *result, before.get(), workspace_, commands_, painter_}); }, size);
    commands_.carry_out(*session_);
    session_->poll();
  }
  /// Frames until no job is left and what they made was drawn.
  void settle(View& view, ImVec2 size = ImVec2(880, 640)) {
    for (int quiet = 0, tries = 0; quiet < 3 && tries < 4000; ++tries) {
      show(view, size);
      quiet = session_->workers().any_busy() ? 0 : quiet + 1;
      if (quiet == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    session_->poll();
  }
  /// The texts of a frame, each with the left edge of its last one.
  std::map<std::string, float> texts(View& view, ImVec2 size = ImVec2(880, 640)) {
    DisplayList list;
    const auto result = session_->result();
    frame(
        [&] {
          const DrawRecording recording(&list);
          view.draw({*session_, *result, nullptr, workspace_, commands_, painter_});
        },
        size);
    std::map<std::string, float> out;
    for (const DrawItem& item : list.items())
      if (item.kind == DrawItem::Kind::text) out[std::string(list.text(item))] = item.p0.x;
    return out;
  }
  /// The pointer goes there, presses and lets go.
  void click(View& view, ImVec2 at, ImVec2 size = ImVec2(880, 640)) {
    point_at(at.x, at.y);
    show(view, size);
    show(view, size);
    press(true);
    show(view, size);
    press(false);
    show(view, size);
    show(view, size);
  }

  /// Clicks the middle of an item of the last frame, or of one cell of a matrix.
  void click_item(View& view, const std::string& name, std::int64_t row = 0, std::int64_t col = 0) {
    settle(view);
    const auto at = noted_items().find(name);
    ASSERT_TRUE(at != noted_items().end()) << name;
    const ItemRect& rect = at->second;
    const float rows = static_cast<float>(std::max<std::int64_t>(1, rect.rows));
    const float cols = static_cast<float>(std::max<std::int64_t>(1, rect.cols));
    const float x = (static_cast<float>(col) + 0.5f) / cols, y = (static_cast<float>(row) + 0.5f) / rows;
    click(view, ImVec2(rect.p0.x + (rect.p1.x - rect.p0.x) * x, rect.p0.y + (rect.p1.y - rect.p0.y) * y));
    session_->wait();
  }

  std::unique_ptr<Session> session_;
  Workspace workspace_;
  Commands commands_;
};

}  // namespace attnscope::testing
