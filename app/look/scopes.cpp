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

UiMark::UiMark() {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  windows_ = g.CurrentWindowStack.Size;
  fonts_ = g.FontStack.Size;
  clips_ = g.CurrentWindow ? g.CurrentWindow->DrawList->_ClipRectStack.Size : 0;
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
  ImGui::ErrorCheckEndWindowRecover(nullptr);
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
