// A second window beside that of a GlContext, sharing its textures and fonts, for words and a copy of what
// the first one shows. What it draws has an ImGui context of its own, so that neither disturbs the other.
// Keys that are pressed in it go to the first window. Refuses to be the only one.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/gpu/imgui_host.h"

namespace attnscope {

class SideWindow {
 public:
  /// On another screen than the first window where there is one, as large as that screen; else of a usual
  /// size. Errors: no window there, or the system gives none.
  static Result<std::unique_ptr<SideWindow>> make(GlContext& first, ImguiHost& host,
                                                  const std::string& title);
  ~SideWindow();
  SideWindow(const SideWindow&) = delete;
  SideWindow& operator=(const SideWindow&) = delete;

  bool should_close() const;
  /// Copies what the first window is about to show. Before its swap().
  void mirror();
  /// The copy; 0 before the first one. Its first row is the lowest.
  unsigned mirrored() const;
  /// `draw` makes a frame that fills the window; it is shown at once.
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

/// Screens that the system has; 0 without a window.
int screen_count();

}  // namespace attnscope
