#include "app/look/key_controls.h"

#include <imgui_internal.h>  // GetItemID before 1.89

#include <algorithm>

#include "app/look/imgui_compat.h"
#include "app/look/theme.h"

namespace attnscope {
namespace {

constexpr int kClickFrames = 4;  // Ctrl down, button down, button up, Ctrl up
constexpr float kRing = 3.f;     // radius of the ring around a control, units

struct Lists {
  std::vector<KeyControl> now, before;
};
Lists& lists() {
  static Lists lists;
  return lists;
}

bool& digits_are_taken() {
  static bool taken = false;
  return taken;
}

ImVec2 middle(const KeyControl& one) {
  return ImVec2((one.seen0.x + one.seen1.x) / 2, (one.seen0.y + one.seen1.y) / 2);
}

// How far to scroll so that low..high lies within inner0..inner1; `now`, `most`: scroll position and maximum.
float shift(float low, float high, float inner0, float inner1, float now, float most) {
  if (high > inner1)
    return -std::clamp(std::min(high - inner1, low - inner0), 0.f, std::max(0.f, most - now));
  return low < inner0 ? std::clamp(inner0 - low, 0.f, std::max(0.f, now)) : 0.f;
}

// True if scrolling its window and the parent windows can make a rectangle visible.
bool can_be_scrolled_to(const ImGuiWindow* window, ImRect rect) {
  for (; window; window = window->ParentWindow) {
    const ImRect& in = window->InnerRect;
    rect.Translate(
        {shift(rect.Min.x, rect.Max.x, in.Min.x, in.Max.x, window->Scroll.x, window->ScrollMax.x),
         shift(rect.Min.y, rect.Max.y, in.Min.y, in.Max.y, window->Scroll.y, window->ScrollMax.y)});
    if (!in.Overlaps(rect)) return false;
    if (!(window->Flags & ImGuiWindowFlags_ChildWindow)) return true;
  }
  return true;
}

bool inside(ImVec2 point, ImVec2 p0, ImVec2 p1) {
  return point.x >= p0.x && point.y >= p0.y && point.x < p1.x && point.y < p1.y;
}

// Before 1.87 only the space bar activates an item under keyboard navigation. Enter does too, from its next
// press on, so that the Enter that opened a list does not also choose from it.
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

void note_control() {
  const ImGuiID id = ImGui::GetItemID();
  auto& now = lists().now;
  ImGuiWindow* window = ImGui::GetCurrentWindowRead();
  if (id == 0 || window->SkipItems || (!now.empty() && now.back().id == id)) return;
  const ImRect rect(ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  ImRect seen = rect;
  seen.ClipWith(ImRect(window->DrawList->GetClipRectMin(), window->DrawList->GetClipRectMax()));
  const KeyControl control{id, rect.Min, rect.Max, seen.Min, seen.Max, window};
  // Inside the clip rectangle of its window but invisible: another window covers it.
  if (!control.in_sight() && (window->InnerClipRect.Overlaps(rect) || !can_be_scrolled_to(window, rect)))
    return;
  now.push_back(control);
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
    const auto first = std::find_if(all.begin(), all.end(), [&](const KeyControl& one) {
      return one.in_sight() && inside(middle(one), p0, p1);
    });
    next = first == all.end() ? 0 : first - all.begin();
  }
  const KeyControl& to = all[static_cast<std::size_t>(next)];
  pointer = {true, to.id, to.in_sight() ? middle(to) : pointer.at, 0};
  const ImRect whole(to.p0, to.p1);
  if (!ImRect(to.seen0, to.seen1).Contains(whole)) ImGui::ScrollToRectEx(to.window, whole);
}

void press_key_pointer() {
  const KeyControl* now = pointed_at();
  if (key_pointer().on && (!now || now->in_sight())) key_pointer().press = kClickFrames;
}

void follow_key_pointer() {
  if (!key_pointer().on || key_pointer().press > 0) return;
  if (const KeyControl* now = pointed_at(); now && now->in_sight()) key_pointer().at = middle(*now);
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
  if (!now || !now->in_sight()) return;
  const float around = kRing * ui_scale();
  ImGui::GetForegroundDrawList()->AddRect(ImVec2(now->seen0.x - around, now->seen0.y - around),
                                          ImVec2(now->seen1.x + around, now->seen1.y + around),
                                          theme().accent, 6 * ui_scale(), 0, 2.5f * ui_scale());
}

void take_digits() { digits_are_taken() = true; }
bool digits_taken() { return digits_are_taken(); }

std::string typed_signs() {
  constexpr ImWchar kMinus = 0x2212;
  std::string out;
  for (const ImWchar sign : ImGui::GetIO().InputQueueCharacters) {
    if (sign >= ' ' && sign < 0x7f) out += static_cast<char>(sign);
    if (sign == kMinus) out += '-';
  }
  return out;
}

void follow_digits() {
  if (ImGui::IsMouseClicked(0) || ImGui::IsMouseClicked(1) || compat::key_pressed(compat::Key::escape, false))
    digits_are_taken() = false;
}

}  // namespace attnscope
