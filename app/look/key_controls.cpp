#include "app/look/key_controls.h"

#include <imgui_internal.h>  // GetItemID before 1.89

#include <algorithm>

#include "app/look/imgui_compat.h"
#include "app/look/theme.h"

namespace attnscope {
namespace {

constexpr int kClickFrames = 4;  // Ctrl, down, up, Ctrl is let go
constexpr float kRing = 3.f;     // units around a control

struct Lists {
  std::vector<KeyControl> now, before;
};
Lists& lists() {
  static Lists lists;
  return lists;
}

ImVec2 middle(const KeyControl& one) { return ImVec2((one.p0.x + one.p1.x) / 2, (one.p0.y + one.p1.y) / 2); }

bool inside(ImVec2 point, ImVec2 p0, ImVec2 p1) {
  return point.x >= p0.x && point.y >= p0.y && point.x < p1.x && point.y < p1.y;
}

// Before 1.87 only the space bar chooses where arrows walk. Enter does too, from its press on, unless it was
// what opened the list.
void feed_enter([[maybe_unused]] ImGuiIO& io) {
#if IMGUI_VERSION_NUM < 18700
  static bool was_down = false, chooses = false;
  const bool down = io.KeysDown[compat::native(compat::Key::enter)];
  const bool walks = (io.ConfigFlags & ImGuiConfigFlags_NavEnableKeyboard) != 0 && !io.WantTextInput;
  chooses = down && (chooses || (!was_down && walks));
  if (chooses) io.NavInputs[ImGuiNavInput_Activate] = 1.f;
  was_down = down;
#endif
}

const KeyControl* pointed_at() {
  const auto& all = controls();
  const auto found =
      std::find_if(all.begin(), all.end(), [](const KeyControl& one) { return one.id == key_pointer().id; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

void begin_controls() {
  Lists& all = lists();
  if (all.now.empty()) return;
  all.before.swap(all.now);
  all.now.clear();
}

void note_control(ImVec2 p0, ImVec2 p1) {
  const ImGuiID id = ImGui::GetItemID();
  auto& now = lists().now;
  if (id == 0 || p1.x <= p0.x + 1 || p1.y <= p0.y + 1) return;
  if (now.empty() || now.back().id != id) now.push_back({id, p0, p1});
}

const std::vector<KeyControl>& controls() { return lists().before; }

KeyPointer& key_pointer() {
  static KeyPointer pointer;
  return pointer;
}

void feed_key_pointer(ImGuiIO& io) {
  feed_enter(io);
  KeyPointer& pointer = key_pointer();
  static bool clicking = false;
  if (pointer.on) compat::feed_mouse_pos(io, pointer.at.x, pointer.at.y);
  if (!pointer.on) pointer.press = 0;
  if (pointer.press > 0 || clicking) {
    compat::feed_modifiers(io, pointer.press > 0, false, false);
    compat::feed_mouse_button(io, 0, pointer.press == kClickFrames - 1);
  }
  clicking = pointer.press > 0;
  pointer.press = std::max(0, pointer.press - 1);
}

void step_key_pointer(int by, ImVec2 p0, ImVec2 p1) {
  const auto& all = controls();
  if (all.empty()) return;
  KeyPointer& pointer = key_pointer();
  const auto count = static_cast<std::ptrdiff_t>(all.size());
  std::ptrdiff_t next = 0;
  if (const KeyControl* now = pointer.on ? pointed_at() : nullptr) {
    next = (now - all.data() + by + count) % count;
  } else {
    const auto first = std::find_if(all.begin(), all.end(),
                                    [&](const KeyControl& one) { return inside(middle(one), p0, p1); });
    next = first == all.end() ? 0 : first - all.begin();
  }
  const KeyControl& to = all[static_cast<std::size_t>(next)];
  pointer = {true, to.id, middle(to), 0};
}

void press_key_pointer() {
  if (key_pointer().on) key_pointer().press = kClickFrames;
}

void follow_key_pointer() {
  if (!key_pointer().on || key_pointer().press > 0) return;
  if (const KeyControl* now = pointed_at()) key_pointer().at = middle(*now);
}

void begin_no_tab() {
#if IMGUI_VERSION_NUM >= 19100
  ImGui::PushItemFlag(ImGuiItemFlags_NoTabStop, true);
#elif IMGUI_VERSION_NUM >= 18940
  ImGui::PushTabStop(false);
#else
  ImGui::PushAllowKeyboardFocus(false);
#endif
}

void end_no_tab() {
#if IMGUI_VERSION_NUM >= 19100
  ImGui::PopItemFlag();
#elif IMGUI_VERSION_NUM >= 18940
  ImGui::PopTabStop();
#else
  ImGui::PopAllowKeyboardFocus();
#endif
}

void draw_key_pointer() {
  const KeyControl* now = key_pointer().on ? pointed_at() : nullptr;
  if (!now) return;
  const float around = kRing * ui_scale();
  ImGui::GetForegroundDrawList()->AddRect(ImVec2(now->p0.x - around, now->p0.y - around),
                                          ImVec2(now->p1.x + around, now->p1.y + around), theme().accent,
                                          6 * ui_scale(), 0, 2.5f * ui_scale());
}

}  // namespace attnscope
