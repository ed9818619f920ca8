// A session with a model, a view, and a mouse: what the tests of the attention and mask views share.
#pragma once

#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>

#include "app/views/view.h"
#include "tests/app/widgets/imgui_fixture.h"

namespace attnscope {
std::unique_ptr<View> make_attention_view();
std::unique_ptr<View> make_mask_view();
}  // namespace attnscope

namespace attnscope::testing {

class AttentionFixture : public ImguiFixture {
 protected:
  void SetUp() override {
    ImguiFixture::SetUp();
    // Without OpenGL every cell is a rectangle: more vertices than 16-bit indices reach.
    ImGui::GetIO().BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
  }
  void open_model(const std::string& name, int tokens) {
    session_.open(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/" + name);
    session_.wait();
    std::string text;
    for (int i = 0; i < tokens; ++i) text += std::to_string((i * 7 + 3) % 40) + " ";
    ASSERT_TRUE(session_.edit("text", "", [&](Document& document) { return set_text(document, 0, text); }));
    session_.wait();
    ASSERT_NE(session_.result(), nullptr);
    ASSERT_EQ(session_.result()->trace(0).length, tokens);
  }
  void open_scene(const std::string& name) {
    std::ifstream file(std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/scenes/" + name + ".json");
    std::stringstream text;
    text << file.rdbuf();
    session_.open_scene(text.str(), name);
    session_.wait();
    ASSERT_NE(session_.result(), nullptr);
  }
  /// The nine steps' attention over an input longer than any fixture allows.
  void open_long(int tokens) {
    open_scene("nine_steps");
    ASSERT_TRUE(session_.edit("long", "", [&](Document& document) {
      SceneSizes sizes = sizes_of(*document.opened->scene);
      sizes.batch = 1, sizes.tokens = tokens;
      return resize_scene(document, sizes, 1);
    }));
    session_.wait();
    ASSERT_EQ(session_.result()->trace(0).length, tokens);
  }
  /// One frame of the view, then its commands and their results.
  void show(View& view, ImVec2 size = ImVec2(880, 620)) {
    session_.poll();
    const auto run = session_.result();
    const auto before = session_.previous();
    frame([&] { view.draw({session_, *run, before.get(), workspace_, commands_, painter_}); }, size);
    commands_.carry_out(session_);
    session_.wait();
  }
  void show_until_idle(View& view, ImVec2 size = ImVec2(880, 620)) {
    do {
      show(view, size);
    } while (session_.workers().any_busy());
    show(view, size);
  }
  void click(View& view, ImVec2 at) {
    point_at(at.x, at.y);
    show(view);
    press(true);
    show(view);
    press(false);
    show(view);
  }

  Session session_;
  Workspace workspace_;
  Commands commands_;
};

}  // namespace attnscope::testing
