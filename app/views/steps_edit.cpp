#include "app/views/steps_edit.h"

#include <algorithm>
#include <cmath>

#include "app/look/fonts.h"
#include "app/look/imgui_compat.h"
#include "app/look/theme.h"
#include "app/widgets/cell_edit.h"
#include "app/widgets/edit_menu.h"
#include "app/widgets/navigation.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/trace/ties.h"

namespace attnscope {

void offer_step_menu(const ViewContext& context, const Operand& operand, const FigureCell& cell) {
  if (operand.part) return;
  const Trace& trace = context.run.trace(context.workspace.cursor.sequence);
  const auto index = source_index(trace, operand, cell.row, cell.col);
  offer_edit(context.workspace, operand.is_weight() ? Place{{}, operand.weight, index}
                                                    : Place{cell_at(trace, operand.site, index), {}, {}});
}

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

namespace {

// The first and last cell covered by a target, as indices on the given axes; empty if it does not cover
// `head`.
std::vector<std::vector<std::int64_t>> corners(const Target& where, const std::vector<Axis>& axes,
                                               const std::vector<std::int64_t>& shape, std::int64_t head) {
  std::vector<std::int64_t> low, high;
  for (std::size_t d = 0; d < axes.size(); ++d) {
    const AxisRange* range = range_on(where, axes[d]);
    const std::int64_t begin = range ? range->begin : 0,
                       end = range ? std::min(range->end, shape[d]) : shape[d];
    const bool own_head = axes[d] == Axis::head && head >= 0;
    if (begin >= end || (own_head && (head < begin || head >= end))) return {};
    low.push_back(own_head ? head : begin);
    high.push_back(own_head ? head : end - 1);
  }
  return {low, high};
}

// The cell of a weight by its stored name `kept`, under the name that the operand uses.
std::optional<Source> source_of(const ModelConfig& config, const Operand& operand, const std::string& kept,
                                const std::vector<std::int64_t>& index) {
  if (!operand.is_weight()) return Source{{}, operand.site, false, index, 0};
  for (const WeightCell& cell : same_weights(config, kept, index))
    if (cell.name == operand.weight) return Source{cell.name, {}, true, cell.index, 0};
  return std::nullopt;
}

std::optional<MatrixMark> edited_part(const Trace& trace, const Operand& operand, const Target& where) {
  std::vector<Axis> axes;
  std::vector<std::int64_t> shape;
  if (operand.is_weight()) {
    const Tensor* weight = trace.weights().find(where.weight);
    for (int d = 0; weight && d < weight->rank(); ++d) {
      axes.push_back(weight->axis(d));
      shape.push_back(weight->size(d));
    }
  } else if (const Record* record = trace.find(operand.site)) {
    axes = record->axes, shape = record->shape;
  }
  Spot low{INT64_MAX, INT64_MAX}, high{-1, -1};
  for (const auto& index : corners(where, axes, shape, operand.head)) {
    const auto source = source_of(trace.config(), operand, where.weight, index);
    const auto spot = source ? spot_of(trace, operand, *source) : std::nullopt;
    if (!spot) return std::nullopt;
    low = {std::min(low.row, spot->row), std::min(low.col, spot->col)};
    high = {std::max(high.row, spot->row), std::max(high.col, spot->col)};
  }
  if (high.row < 0) return std::nullopt;
  return edit_mark(low.row, low.col, high.row - low.row + 1, high.col - low.col + 1);
}

void mark_edited(const RunResult& run, int sequence, const Operand& operand, std::vector<MatrixMark>& out) {
  if (run.document.edits.empty()) return;
  const Trace& trace = run.trace(sequence);
  const std::string kept =
      operand.is_weight() ? kept_weight(trace.config(), operand.weight).name : std::string();
  const Target whole = operand.is_weight() ? weight_target(kept) : target_of({operand.site, {}});
  const Target input{Target::Kind::input, {}, {}, {}};
  const bool reads_input = operand.is_step() && edit_meaning(run, operand.site) == CellEdit::input;
  for (const Target& place : reads_input ? std::vector{whole, input} : std::vector{whole})
    for (const NumberEdit* edit : edits_of(run.document.edits, sequence, place))
      if (const auto mark = edited_part(trace, operand, edit->where)) out.push_back(*mark);
}

void mark_noted(const ViewContext& context, const Operand& operand, std::vector<MatrixMark>& out) {
  const Trace& trace = context.run.trace(context.workspace.cursor.sequence);
  if (!operand.is_step()) return;
  for (const auto& [place, words] : context.session.document().notes) {
    const auto cell = parse_cell(place);
    if (!cell || cell->at.empty() || cell->site != operand.site || !trace.find(cell->site)) continue;
    const Source source{{}, cell->site, false, cell_index(trace, *cell), 0};
    if (source.index.empty()) continue;
    if (const auto spot = spot_of(trace, operand, source))
      out.push_back({spot->row, spot->col, theme().residual, 1, 1, 2.f});
  }
}

}  // namespace

std::vector<MatrixMark> document_marks(const ViewContext& context, const Operand& operand) {
  std::vector<MatrixMark> out;
  if (operand.part) return out;
  mark_noted(context, operand, out);
  mark_edited(context.run, context.workspace.cursor.sequence, operand, out);
  return out;
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
  typed_ = cell;
  field_.open(target->value);
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
    if (io.MouseDelta.x != 0 && !ImGui::IsMouseClicked(0)) {  // ignore movement before the press
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
  if (!field_.is_open() || !plot.cell_rect(typed_, p0, p1)) return field_.is_open();
  const auto value = field_.draw("steps", p0, p1);
  if (!value) return true;
  if (const auto target = edit_target(context.run, context.workspace.cursor.sequence, figure, typed_)) {
    send_edit(context, *target, *value, {});
    field_.close();
  } else {
    field_.refuse();
  }
  return true;
}

}  // namespace attnscope
