#include "app/widgets/clipboard.h"

#include <imgui.h>

#include <utility>

namespace attnscope {
namespace {

bool refused = false;

}  // namespace

bool copy_text(const std::string& text) {
  ImGui::SetClipboardText(text.c_str());
  const char* there = ImGui::GetClipboardText();
  const bool taken = there != nullptr && text == there;
  if (!taken) refused = true;
  return taken;
}

bool refused_copy() { return std::exchange(refused, false); }

}  // namespace attnscope
