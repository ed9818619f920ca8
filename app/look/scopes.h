// RAII guards for ImGui's push/pop pairs, and a way to unwind when an exception passes between push and pop.
// During an exception the guards do nothing, because another window may be current by then; the function that
// catches it restores all stacks at once with UiMark::restore().
#pragma once

#include <imgui.h>

#include <exception>

#include "app/look/imgui_compat.h"
#include "core/base/no_copy.h"

namespace attnscope {

/// Depth of ImGui's stacks at one moment of a frame.
class UiMark {
 public:
  UiMark();
  /// Ends every window, table and group begun since, and pops whatever was pushed. In the same frame only.
  void restore() const;

 private:
  int windows_ = 0, fonts_ = 0, clips_ = 0;
  alignas(8) unsigned char state_[64] = {};  ///< ImGui versions that can restore the stacks themselves
};

/// Base of all guards.
struct Scope : NoCopy {
  Scope() = default;

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
/// BeginDisabled / EndDisabled.
struct DisabledScope : Scope {
  explicit DisabledScope(bool disabled) { ImGui::BeginDisabled(disabled); }
  ~DisabledScope() {
    if (calm()) ImGui::EndDisabled();
  }
};

/// Extends the current window to the position set by SetCursorScreenPos, even if no item follows; newer
/// versions of Dear ImGui assert otherwise.
void reach_to_cursor();

}  // namespace attnscope
