// A second window (presenter notes and a copy of the first window's frame) that shares textures and fonts
// with the first window's GL context. It has its own ImGui context, so that the two do not affect each other.
// Keys pressed in it are forwarded to the first window.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/gpu/imgui_host.h"
#include "core/base/no_copy.h"

namespace attnscope {

class SideWindow : NoCopy {
 public:
  /// Opens full size on another screen if there is one, else with a default size on the same screen. Errors:
  /// the context has no window, GLFW cannot make one.
  static Result<std::unique_ptr<SideWindow>> make(GlContext& first, ImguiHost& host,
                                                  const std::string& title);
  ~SideWindow();

  bool should_close() const;
  /// Copies the frame that the first window is about to present. Before its swap().
  void mirror();
  /// GL texture of the copy, bottom row first; 0 before the first mirror().
  unsigned mirrored() const;
  /// Runs `draw` as one ImGui frame that fills the window, and presents it.
  void show(const std::function<void()>& draw);

 private:
  SideWindow(GlContext& first, ImguiHost& host, GLFWwindow* window)
      : first_(first), host_(host), window_(window) {}
  GlContext& first_;
  ImguiHost& host_;
  GLFWwindow* window_;
  struct ImGuiContext* context_ = nullptr;
  std::unique_ptr<Offscreen> copy_;
};

/// Number of screens; 0 without a window.
int screen_count();

}  // namespace attnscope
