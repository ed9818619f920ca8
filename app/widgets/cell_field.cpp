#include "app/widgets/cell_field.h"

#include <imgui_internal.h>  // the id of the active item

#include <algorithm>

#include "app/figure/canvas.h"
#include "app/look/item_map.h"
#include "app/look/key_controls.h"
#include "app/widgets/cell_edit.h"
#include "app/widgets/number_field.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

// What was typed early stands in place of the number that was there.
int put_early(ImGuiInputTextCallbackData* data) {
  std::string& early = *static_cast<std::string*>(data->UserData);
  if (early.empty()) return 0;
  data->DeleteChars(0, data->BufTextLen);
  data->InsertChars(0, early.c_str());
  early.clear();
  return 0;
}

}  // namespace

void CellField::open(float value) {
  text_ = format("%.6g", static_cast<double>(value));
  early_.clear();
  open_ = focus_ = waits_ = true;
  wrong_ = false;
  take_digits();
}

// A field that gets the focus drops the signs of that frame; a slow frame holds all that was typed meanwhile.
void CellField::take_early(ImGuiID field) {
  waits_ = waits_ && ImGui::GetActiveID() != field;
  if (!waits_) return;
  early_ += typed_signs();
  ImGui::GetIO().InputQueueCharacters.resize(0);
}

std::optional<float> CellField::draw(const char* id, ImVec2 p0, ImVec2 p1) {
  if (!open_) return std::nullopt;
  const float width = std::max(p1.x - p0.x, scaled(92)), height = ImGui::GetFrameHeight();
  const ImVec2 at((p0.x + p1.x - width) / 2, (p0.y + p1.y - height) / 2), end(at.x + width, at.y + height);
  ImGui::SetCursorScreenPos(at);
  bool entered = false, left = false;
  const bool first = focus_;
  compat::begin_child(Label(id, "_field").c_str(), ImVec2(width, height), false,
                      ImGuiWindowFlags_NoScrollbar);
  {
    const FontScope face(fonts().mono);
    const ColourScope ground(ImGuiCol_FrameBg, theme().panel_raised);
    const ColourScope ink(ImGuiCol_Text, wrong_ ? theme().error : theme().text);
    ImGui::SetNextItemWidth(width);
    if (first) compat::focus_next_item();
    focus_ = false;
    const Label name("##", id, "_number");
    take_early(ImGui::GetID(name.c_str()));
    entered = ImGui::InputText(name.c_str(), &text_,
                               ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll |
                                   ImGuiInputTextFlags_CallbackAlways,
                               put_early, &early_);
    left = ImGui::IsItemDeactivated();
  }
  note_item(Label(id, "_number"), {at, end, 0, 0, 0, 0, 0, 0, {}, at, end});
  Canvas().rect(at, end, theme().accent, scaled(3), 0, scaled(1.5f));
  ImGui::EndChild();
  if (wrong_) tell_below(at, end, tr(why_));
  if (compat::key_pressed(compat::Key::escape) || (left && !entered && !first)) {
    open_ = false;
    return std::nullopt;
  }
  if (!entered) return std::nullopt;
  const auto value = parse_number(text_);
  if (!value) refuse();
  if (value) take_digits();  // the cell is still what was chosen
  return value;
}

}  // namespace attnscope
