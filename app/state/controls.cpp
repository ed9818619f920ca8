#include "app/state/controls.h"

#include <imgui_internal.h>  // the stack of popups

#include "app/look/item_map.h"
#include "app/look/kept_text.h"
#include "app/look/text_lines.h"
#include "core/base/text.h"

namespace attnscope {

bool raised_button(const Label& label, bool on) {
  const Theme& t = theme();
  const WithColour text(ImGuiCol_Text, on ? t.accent : t.text);
  const WithColour border(ImGuiCol_Border, on ? t.accent : t.border);
  const WithColour ground(ImGuiCol_Button, on ? t.accent_soft : t.panel_raised);
  const bool pressed = ImGui::Button(label.c_str());
  note_item(label);
  return pressed;
}

bool primary_button(const Label& label) {
  const Theme& t = theme();
  const WithColour text(ImGuiCol_Text, t.on_accent);
  const WithColour ground(ImGuiCol_Button, t.accent);
  const WithColour hovered(ImGuiCol_ButtonHovered, mix(t.accent, t.text, 0.2f));
  const WithColour held(ImGuiCol_ButtonActive, mix(t.accent, t.text, 0.35f));
  const bool pressed = ImGui::Button(label.c_str());
  note_item(label);
  return pressed;
}

bool close_button(const char* id) {
  const float side = ImGui::GetFrameHeight() * 0.8f;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool pressed = hit_area(id, ImVec2(side, side));
  note_item(id);
  const ImU32 colour = ImGui::IsItemHovered() ? theme().text : theme().text_dim;
  const ImVec2 centre(at.x + side / 2, at.y + side / 2);
  const float arm = side * 0.2f;
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddLine(ImVec2(centre.x - arm, centre.y - arm), ImVec2(centre.x + arm, centre.y + arm), colour,
                px(1.5f));
  list->AddLine(ImVec2(centre.x - arm, centre.y + arm), ImVec2(centre.x + arm, centre.y - arm), colour,
                px(1.5f));
  return pressed;
}

void dim_text(std::string_view text) {
  const WithColour colour(ImGuiCol_Text, theme().text_dim);
  note_text(text);
  ImGui::TextUnformatted(begin_of(text), end_of(text));
}

void wrapped_text(std::string_view text, ImU32 colour) {
  const WithColour ink(ImGuiCol_Text, colour);
  note_text(text);
  const float width = ImGui::GetContentRegionAvail().x;
  const char *at = begin_of(text), *const end = end_of(text);
  ImGui::BeginGroup();
  ImGui::PushTextWrapPos(0.f);  // a single word may be wider than the line
  {
    const WithVar tight(ImGuiStyleVar_ItemSpacing, ImVec2(ImGui::GetStyle().ItemSpacing.x, 0));
    do {
      const char* const stop = line_end(at, end, width);
      ImGui::TextUnformatted(at, stop);
      at = stop;
      while (at < end && *at == ' ') ++at;
      if (at < end && *at == '\n') ++at;
    } while (at < end);
  }
  ImGui::PopTextWrapPos();
  ImGui::EndGroup();
}

float button_width(const Label& label) {
  return ImGui::CalcTextSize(label.c_str(), nullptr, true).x + 2 * ImGui::GetStyle().FramePadding.x;
}

namespace {

std::string shortened_in_middle(std::string_view text, float width) {
  std::vector<std::size_t> starts;  // byte offsets of the code points
  for (std::size_t at = 0; at < text.size();) {
    starts.push_back(at);
    (void)next_code_point(text, at);
  }
  starts.push_back(text.size());
  const std::size_t count = starts.size() - 1;
  for (std::size_t kept = count; kept-- > 1;) {
    const std::size_t front = starts[(kept + 1) / 2], back = starts[count - kept / 2];
    std::string shorter(text.substr(0, front));
    shorter.append("\u2026").append(text.substr(back));
    if (ImGui::CalcTextSize(shorter.c_str()).x <= width) return shorter;
    if (kept > 64 && kept * 2 > count) kept = std::max<std::size_t>(64, kept * 7 / 8);
  }
  return "\u2026";
}

}  // namespace

std::string shortened(std::string_view text, float width) {
  if (ImGui::CalcTextSize(begin_of(text), end_of(text)).x <= width) return std::string(text);
  static KeptTexts kept;
  return kept.get(width_key(text, ImGui::GetFont(), ImGui::GetFontSize(), width),
                  [&] { return shortened_in_middle(text, width); });
}

void centre_next_window() {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos(ImVec2(size.x / 2, size.y / 2), ImGuiCond_Appearing, ImVec2(0.5f, 0.5f));
}

int open_popups() { return GImGui->OpenPopupStack.Size; }

bool dialog_open() {
  const auto& all = GImGui->OpenPopupStack;
  return !all.empty() && all.back().Window && (all.back().Window->Flags & ImGuiWindowFlags_Modal) != 0;
}

void close_popup() {
  if (open_popups() > 0) ImGui::ClosePopupToLevel(open_popups() - 1, true);
}

void close_popups() {
  if (open_popups() > 0) ImGui::ClosePopupToLevel(0, true);
}

void popup_below_item(bool right) {
  const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
  ImGui::SetNextWindowPos(ImVec2(right ? max.x : min.x, max.y + px(5)), ImGuiCond_Always,
                          ImVec2(right ? 1.f : 0.f, 0.f));
}

bool escape_pressed() {
  return !ImGui::GetIO().WantTextInput && compat::key_pressed(compat::Key::escape, false);
}

}  // namespace attnscope
