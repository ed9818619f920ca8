#include "app/look/scopes.h"

#include <imgui_internal.h>

#include <cstring>
#include <utility>

namespace attnscope {

#if IMGUI_VERSION_NUM >= 19130

UiMark::UiMark() {
  ImGuiErrorRecoveryState state;
  ImGui::ErrorRecoveryStoreState(&state);
  static_assert(sizeof state <= sizeof state_);
  std::memcpy(state_, &state, sizeof state);
}

void UiMark::restore() const {
  ImGuiErrorRecoveryState state;
  std::memcpy(&state, state_, sizeof state);
  ImGuiIO& io = ImGui::GetIO();
  const auto callback = std::exchange(ImGui::GetCurrentContext()->ErrorCallback, nullptr);
  const bool asserts = io.ConfigErrorRecoveryEnableAssert, tooltip = io.ConfigErrorRecoveryEnableTooltip;
  io.ConfigErrorRecoveryEnableAssert = io.ConfigErrorRecoveryEnableTooltip = false;
  ImGui::ErrorRecoveryTryToRecoverState(&state);
  io.ConfigErrorRecoveryEnableAssert = asserts;
  io.ConfigErrorRecoveryEnableTooltip = tooltip;
  ImGui::GetCurrentContext()->ErrorCallback = callback;
}

#else

namespace {

// What is open in the window of the mark: code around it pops what it pushed there itself.
struct OpenHere {
  int tree = 0, groups = 0, ids = 0, disabled = 0, colours = 0, flags = 0, vars = 0;
  ImGuiTable* table = nullptr;
  ImGuiTabBar* tabs = nullptr;
};

OpenHere open_here() {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  OpenHere out{0,
               g.GroupStack.Size,
               0,
               g.DisabledStackSize,
               g.ColorStack.Size,
               g.ItemFlagsStack.Size,
               g.StyleVarStack.Size,
               g.CurrentTable,
               g.CurrentTabBar};
  if (const ImGuiWindow* window = g.CurrentWindow)
    out.tree = window->DC.TreeDepth, out.ids = window->IDStack.Size;
  return out;
}

void close_to(const OpenHere& mark) {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  const ImGuiWindow* window = g.CurrentWindow;
  while (g.CurrentTable && g.CurrentTable != mark.table) ImGui::EndTable();
  while (g.CurrentTabBar && g.CurrentTabBar != mark.tabs) ImGui::EndTabBar();
  while (window->DC.TreeDepth > mark.tree) ImGui::TreePop();
  while (g.GroupStack.Size > mark.groups) ImGui::EndGroup();
  while (window->IDStack.Size > mark.ids) ImGui::PopID();
  while (g.DisabledStackSize > mark.disabled) ImGui::EndDisabled();
  while (g.ColorStack.Size > mark.colours) ImGui::PopStyleColor();
  while (g.ItemFlagsStack.Size > mark.flags) ImGui::PopItemFlag();
  while (g.StyleVarStack.Size > mark.vars) ImGui::PopStyleVar();
}

}  // namespace

UiMark::UiMark() {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  windows_ = g.CurrentWindowStack.Size;
  fonts_ = g.FontStack.Size;
  clips_ = g.CurrentWindow ? g.CurrentWindow->DrawList->_ClipRectStack.Size : 0;
  const OpenHere here = open_here();
  static_assert(sizeof here <= sizeof state_);
  std::memcpy(state_, &here, sizeof here);
}

void UiMark::restore() const {
  ImGuiContext& g = *ImGui::GetCurrentContext();
  while (g.FontStack.Size > fonts_) ImGui::PopFont();
  while (g.CurrentWindowStack.Size > windows_) {
    ImGui::ErrorCheckEndWindowRecover(nullptr);
    if ((g.CurrentWindow->Flags & ImGuiWindowFlags_ChildWindow) != 0)
      ImGui::EndChild();
    else
      ImGui::End();
  }
  OpenHere here;
  std::memcpy(&here, state_, sizeof here);
  close_to(here);
  g.NextWindowData.ClearFlags();
  ImDrawList* list = g.CurrentWindow->DrawList;
  if (list->_Splitter._Count > 1) list->ChannelsMerge();
  while (list->_ClipRectStack.Size > clips_) ImGui::PopClipRect();
}

#endif

#if IMGUI_VERSION_NUM >= 19200
void reach_to_cursor() {
  ImGuiIO& io = ImGui::GetIO();
  io.ConfigErrorRecoveryEnableTooltip = io.ConfigErrorRecoveryEnableDebugLog = false;
  ImGui::GetCurrentContext()->ErrorCallback = [](ImGuiContext* context, void*, const char* message) {
    const bool reaches = std::strncmp(message, "Code uses SetCursor", 19) == 0;
    context->IO.ConfigErrorRecoveryEnableAssert = !reaches;
    ImGuiWindowTempData& window = context->CurrentWindow->DC;
    if (reaches) window.CursorMaxPos = ImMax(window.CursorMaxPos, window.CursorPos);
  };
}
#else
void reach_to_cursor() {}
#endif

}  // namespace attnscope
