#include "app/views/labs_controls.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "app/look/item_map.h"
#include "app/look/key_controls.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/number_field.h"
#include "app/widgets/pieces.h"
#include "app/widgets/table.h"
#include "core/base/hash.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kLabsControlsLeast = 120.f, kMost = 330.f, kNumber = 74.f, kLabsControlsGap = 24.f;  // units
constexpr float kLeastOfControl = 0.8f;  // of its width, beside one with a long name
constexpr float kNumberShare = 0.45f;    // of the width of a narrow control

void tip(const LabControl& control) {
  const Label key(control.key, ".help");
  if (has_string(key)) compat::item_tooltip(tr(key));
}

void type_number(const char* id, const LabNumber& number, double& value) {
  if (!number.whole) {
    number_field(id, value, number.least, number.most, {nullptr});
    return;
  }
  std::int64_t whole = std::llround(value);
  if (number_field(id, whole, std::llround(number.least), std::llround(number.most)).changed)
    value = static_cast<double>(whole);
}

bool draw_number(const LabControl& control, const LabNumber& number, double& value, float width) {
  const double before = value;
  const ImGuiSliderFlags flags = ImGuiSliderFlags_AlwaysClamp | ImGuiSliderFlags_NoInput |
                                 (number.log ? ImGuiSliderFlags_Logarithmic : 0);
  const std::string own = control.id();
  const Label slider("###lab_", own), field("###lab_number_", own);
  const float typed = std::min(scaled(kNumber), width * kNumberShare);
  ImGui::SetNextItemWidth(width - typed - scaled(8));
  if (typed_instead(slider.c_str(), width - typed - scaled(8))) {
    type_number(slider.c_str(), number, value);
  } else if (number.whole) {
    std::int64_t whole = std::llround(value);
    const auto least = static_cast<std::int64_t>(number.least), most = static_cast<std::int64_t>(number.most);
    if (ImGui::SliderScalar(slider.c_str(), ImGuiDataType_S64, &whole, &least, &most, "", flags))
      value = static_cast<double>(whole);
  } else {
    ImGui::SliderScalar(slider.c_str(), ImGuiDataType_Double, &value, &number.least, &number.most, "", flags);
  }
  note_item(slider);
  if (ImGui::IsItemClicked()) take_digits();
  tip(control);
  ImGui::SameLine(0, scaled(8));
  ImGui::SetNextItemWidth(typed);
  const FontScope face(fonts().mono);
  type_number(field.c_str(), number, value);
  return value != before;
}

bool draw_choice(const LabControl& control, const LabChoice& choice, double& value, float width) {
  const Label id("###lab_", control.id());
  const int now = static_cast<int>(value);
  bool changed = false;
  ImGui::SetNextItemWidth(width);
  if (ImGui::BeginCombo(id.c_str(), tr(choice.keys[static_cast<std::size_t>(now)]))) {
    for (std::size_t i = 0; i < choice.keys.size(); ++i)
      if (ImGui::Selectable(tr(choice.keys[i]), static_cast<int>(i) == now)) {
        changed = static_cast<int>(i) != now;
        value = static_cast<double>(i);
      }
    ImGui::EndCombo();
  }
  note_item(id);
  tip(control);
  return changed;
}

bool labs_controls_draw_switch(const LabControl& control, double& value) {
  bool on = value != 0;
  const Label id("###lab_", control.id());
  const bool changed = ImGui::Checkbox(Label(tr(on ? "labs.on" : "labs.off"), id).c_str(), &on);
  note_item(id);
  tip(control);
  value = on ? 1 : 0;
  return changed;
}

bool labs_controls_draw_words(const LabControl& control, LabValues& values, float width) {
  std::string words = values.words(control.id());
  const Label id("###lab_", control.id());
  ImGui::SetNextItemWidth(width);
  const bool changed = ImGui::InputText(id.c_str(), &words);
  note_item(id);
  if (!ImGui::IsItemActive()) tip(control);
  if (changed) values.set_words(control.id(), words);
  return changed;
}

bool draw_control(const LabControl& control, LabValues& values, float width, ImFont* font) {
  double value = values.number(control.id());
  const bool idle = !control.with.empty() && values.choice(control.with) != control.of;
  const DisabledScope disabled(idle);
  ImGui::BeginGroup();
  const std::string_view name = tr(control.key);
  text_line(font, theme().text_dim, middle_truncated(font, name, width));
  bool changed = false;
  if (const auto* number = std::get_if<LabNumber>(&control.kind))
    changed = draw_number(control, *number, value, width);
  else if (const auto* choice = std::get_if<LabChoice>(&control.kind))
    changed = draw_choice(control, *choice, value, width);
  else if (std::holds_alternative<LabWords>(control.kind))
    changed = labs_controls_draw_words(control, values, width);
  else
    changed = labs_controls_draw_switch(control, value);
  ImGui::EndGroup();
  values.set(control.id(), value);
  return changed;
}

// Switches need less room than sliders.
float share_of(const LabControl& control) {
  return std::holds_alternative<LabSwitch>(control.kind) ? 0.55f : 1.f;
}

}  // namespace

std::uint64_t key_of_lab(const Lab& lab, const LabValues& values) {
  Hash hash;
  hash.take(lab.key);
  for (const auto& [id, value] : values.all()) {
    hash.take(id);
    hash.take(std::bit_cast<std::uint64_t>(value));
    hash.take(values.words(id));
  }
  return hash.value();
}

bool draw_lab_controls(const Lab& lab, LabValues& values, float width, bool large) {
  ImFont* font = large ? fonts().reading : fonts().small;
  const StyleScope tight(ImGuiStyleVar_ItemSpacing, ImVec2(scaled(8), scaled(4)));
  float shares = 0;
  for (const LabControl& control : lab.controls) shares += share_of(control);
  const auto count = static_cast<float>(lab.controls.size());
  const float whole = std::clamp((width - scaled(kLabsControlsGap) * (count - 1)) / shares,
                                 scaled(kLabsControlsLeast), scaled(kMost));
  const ImVec2 begin = ImGui::GetCursorScreenPos();
  ImVec2 at = begin;
  bool changed = false;
  float below = begin.y;
  // In one row those with a long name are wider than those with a short one.
  static std::vector<float> widths, names;
  widths.clear(), names.clear();
  for (const LabControl& control : lab.controls) {
    widths.push_back(whole * share_of(control));
    names.push_back(text_size(font, tr(control.key)).x);
  }
  if (whole * shares + scaled(kLabsControlsGap) * (count - 1) <= width + 1)
    widen_by_need(widths, names, kLeastOfControl);
  std::size_t index = 0;
  for (const LabControl& control : lab.controls) {
    const float own = widths[index++];
    if (at.x > begin.x && at.x + own > begin.x + width + 1) at = ImVec2(begin.x, below + scaled(6));
    ImGui::SetCursorScreenPos(at);
    changed |= draw_control(control, values, own, font);
    below = std::max(below, ImGui::GetItemRectMax().y);
    at.x += own + scaled(kLabsControlsGap);
  }
  end_at(ImVec2(begin.x, below));
  return changed;
}

}  // namespace attnscope
