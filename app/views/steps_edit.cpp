#include "app/views/steps_edit.h"

#include <algorithm>
#include <cmath>

#include "app/look/fonts.h"
#include "app/look/imgui_compat.h"
#include "app/look/strings.h"
#include "app/look/theme.h"
#include "app/widgets/cell_edit.h"
#include "app/widgets/navigation.h"
#include "core/base/text.h"

namespace attnscope {

std::optional<EditTarget> edit_target(const RunResult& run, int sequence, const Figure& figure,
                                      const FigureCell& cell) {
  if (!cell.valid() || cell.operand >= static_cast<int>(figure.operands.size())) return std::nullopt;
  const Operand& operand = figure.operands[static_cast<std::size_t>(cell.operand)];
  if (operand.part) return std::nullopt;
  const Trace& trace = run.trace(sequence);
  EditTarget target;
  target.index = source_index(trace, operand, cell.row, cell.col);
  if (operand.is_weight()) {
    if (!can_edit_weight(run, operand.weight)) return std::nullopt;
    target.weight = operand.weight;
    target.value = trace.weights().get(operand.weight).at(target.index);
    return target;
  }
  target.cell = cell_at(trace, operand.site, target.index);
  if (!can_edit(run, sequence, target.cell)) return std::nullopt;
  target.value = trace.cell(operand.site, target.index);
  return target;
}

void send_edit(const ViewContext& context, const EditTarget& target, float value,
               const std::string& gesture) {
  if (!target.weight.empty())
    return edit_weight(context.commands, context.run, target.weight, target.index, value, gesture);
  edit_cell(context.commands, context.run, context.workspace.cursor.sequence, target.cell, value, gesture);
}

void StepsEditor::open(const ViewContext& context, const Figure& figure, const FigureCell& cell) {
  const auto target = edit_target(context.run, context.workspace.cursor.sequence, figure, cell);
  if (!target) return;
  field_ = Field{cell, format("%.6g", static_cast<double>(target->value)), true, false};
}

bool StepsEditor::update(const ViewContext& context, const Figure& figure, const FigureEvent& event,
                         FigurePlot& plot) {
  const ImGuiIO& io = ImGui::GetIO();
  if (!drag_ && io.KeyShift && event.hovered() && ImGui::IsMouseClicked(0)) {
    const auto target = edit_target(context.run, context.workspace.cursor.sequence, figure, event.cell);
    if (target && std::isfinite(target->value)) {
      const ValueRange range = plot.range(event.cell.operand);
      drag_ = Drag{*target, "steps_drag_" + std::to_string(++gestures_),
                   (range.hi - range.lo) / (400 * ui_scale()), 0};
    }
  }
  if (drag_ && ImGui::IsMouseDown(0)) {
    if (io.MouseDelta.x != 0 && !ImGui::IsMouseClicked(0)) {  // not what the mouse did before the press
      drag_->moved += io.MouseDelta.x;
      send_edit(context, drag_->target, drag_->target.value + drag_->moved * drag_->per_pixel,
                drag_->gesture);
    }
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  } else if (drag_) {
    drag_.reset();
    context.commands.end_gesture();
  }
  plot.freeze_windows(drag_.has_value() || io.KeyShift);
  return draw_field(context, figure, plot) || drag_.has_value();
}

bool StepsEditor::draw_field(const ViewContext& context, const Figure& figure, const FigurePlot& plot) {
  ImVec2 p0, p1;
  if (!field_ || !plot.cell_rect(field_->cell, p0, p1)) return field_.has_value();
  const float unit = ui_scale(), width = std::max(p1.x - p0.x, 92 * unit), height = ImGui::GetFrameHeight();
  const ImVec2 at((p0.x + p1.x - width) / 2, (p0.y + p1.y - height) / 2);
  ImGui::SetCursorScreenPos(at);
  compat::begin_child("steps_field", ImVec2(width, height), false, ImGuiWindowFlags_NoScrollbar);
  ImGui::SetNextItemWidth(width);
  compat::push_font(fonts().mono);
  ImGui::PushStyleColor(ImGuiCol_FrameBg, theme().panel_raised);
  ImGui::PushStyleColor(ImGuiCol_Text, field_->wrong ? theme().error : theme().text);
  const bool first = field_->focus;
  if (first) ImGui::SetKeyboardFocusHere();
  field_->focus = false;
  const ImGuiInputTextFlags flags = ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll;
  const bool entered = ImGui::InputText("##steps_number", &field_->text, flags);
  const bool left = ImGui::IsItemDeactivated();
  ImGui::GetWindowDrawList()->AddRect(at, ImVec2(at.x + width, at.y + height), theme().accent, 3 * unit, 0,
                                      1.5f * unit);
  ImGui::PopStyleColor(2);
  ImGui::PopFont();
  ImGui::EndChild();
  if (compat::key_pressed(compat::Key::escape)) {
    field_.reset();
    return true;
  }
  if (!entered) {
    if (left && !first) field_.reset();
    return true;
  }
  const auto value = parse_number(field_->text);
  const auto target = edit_target(context.run, context.workspace.cursor.sequence, figure, field_->cell);
  if (value && target) {
    send_edit(context, *target, *value, {});
    field_.reset();
  } else {
    field_->wrong = field_->focus = true;
  }
  return true;
}

}  // namespace attnscope
