// Guards for what ImGui wants to be popped again, and the way back where something throws between a push and
// its pop. The guards do nothing while an exception passes: another window may be the current one by then,
// and whoever catches the exception restores all stacks at once (UiMark). Refuses to draw.
#pragma once

#include <imgui.h>

#include <exception>

#include "app/look/imgui_compat.h"

namespace attnscope {

/// How far ImGui's stacks reach at a moment of a frame.
class UiMark {
 public:
  UiMark();
  /// Ends every window, table and group begun since, and pops whatever was pushed. In the same frame.
  void restore() const;

 private:
  int windows_ = 0, fonts_ = 0, clips_ = 0;
  alignas(8) unsigned char state_[64] = {};  ///< of versions that restore by themselves
};

/// What all guards are made of.
struct Scope {
  Scope() = default;
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 protected:
  ~Scope() = default;
  bool calm() const { return std::uncaught_exceptions() <= exceptions_; }

 private:
  int exceptions_ = std::uncaught_exceptions();
};

struct FontScope : Scope {
  explicit FontScope(ImFont* font) { compat::push_font(font ? font : ImGui::GetFont()); }
  ~FontScope() {
    if (calm()) ImGui::PopFont();
  }
};
struct ColourScope : Scope {
  ColourScope(ImGuiCol slot, ImU32 colour) { ImGui::PushStyleColor(slot, colour); }
  ~ColourScope() {
    if (calm()) ImGui::PopStyleColor();
  }
};
struct StyleScope : Scope {
  StyleScope(ImGuiStyleVar slot, ImVec2 value) { ImGui::PushStyleVar(slot, value); }
  StyleScope(ImGuiStyleVar slot, float value) { ImGui::PushStyleVar(slot, value); }
  ~StyleScope() {
    if (calm()) ImGui::PopStyleVar();
  }
};
struct IdScope : Scope {
  explicit IdScope(int id) { ImGui::PushID(id); }
  explicit IdScope(const char* id) { ImGui::PushID(id); }
  ~IdScope() {
    if (calm()) ImGui::PopID();
  }
};
/// A child window; ends with the scope.
struct ChildScope : Scope {
  ChildScope(const char* id, ImVec2 size, ImGuiWindowFlags flags = 0) {
    compat::begin_child(id, ImVec2(size.x < 1 ? 1 : size.x, size.y < 1 ? 1 : size.y), false, flags);
  }
  ~ChildScope() {
    if (calm()) ImGui::EndChild();
  }
};
/// Greys out and disables what follows.
struct DisabledScope : Scope {
  explicit DisabledScope(bool disabled) { ImGui::BeginDisabled(disabled); }
  ~DisabledScope() {
    if (calm()) ImGui::EndDisabled();
  }
};

/// In this context a window reaches to the place that was set last (SetCursorScreenPos), with an item there
/// or without: newer versions would end the program.
void reach_to_cursor();

}  // namespace attnscope
