// An ImGui context with the program's fonts and no screen, for tests of what is drawn into a window.
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "app/gpu/painter.h"
#include "app/look/fonts.h"
#include "app/look/imgui_compat.h"
#include "app/look/theme.h"

namespace attnscope::testing {

class ImguiFixture : public ::testing::Test {
 protected:
  void SetUp() override {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = ImVec2(1440, 900);
    io.DeltaTime = 1.f / 60;
    compat::init_headless_keys(io);
#if IMGUI_VERSION_NUM >= 19200
    io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
#endif
    apply_imgui_style(1.f);
    load_fonts(1.f);
    build_fonts();
  }
  void TearDown() override { ImGui::DestroyContext(); }

  /// One frame: `draw` inside a window of `size` at the screen's corner.
  void frame(const std::function<void()>& draw, ImVec2 size = ImVec2(900, 640)) {
    painter_.begin_frame();
    ImGui::NewFrame();
    ImGui::SetNextWindowPos(ImVec2(0, 0));
    ImGui::SetNextWindowSize(size);
    ImGui::Begin("test", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove);
    draw();
    ImGui::End();
    ImGui::Render();
    EXPECT_GT(ImGui::GetDrawData()->TotalVtxCount, 0);
  }
  /// Style and fonts as on a screen of this scale. Between frames.
  void rescale(float scale) {
    apply_imgui_style(scale);
    load_fonts(scale);
    build_fonts();
  }
  void point_at(float x, float y) { compat::feed_mouse_pos(ImGui::GetIO(), x, y); }
  void press(bool down) { compat::feed_mouse_button(ImGui::GetIO(), 0, down); }
  /// Clicks on one place after the other between two corners, each over three frames by `draw`, until `done`.
  bool click_until(ImVec2 from, ImVec2 to, const std::function<void()>& draw,
                   const std::function<bool()>& done) {
    for (float y = from.y; y < to.y; y += 14)
      for (float x = from.x; x < to.x; x += 24) {
        point_at(x, y);
        draw();
        press(true);
        draw();
        press(false);
        draw();
        if (done()) return true;
      }
    return false;
  }

  Painter painter_{false};

 private:
  static void build_fonts() {
#if IMGUI_VERSION_NUM < 19200
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    ImGui::GetIO().Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
#endif
  }
};

}  // namespace attnscope::testing
