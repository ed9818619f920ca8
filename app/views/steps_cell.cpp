// The cell of a steps figure that is hovered or pinned: why it has its value, what is outlined, the line
// below the figure, and what the mouse and the keyboard do.
#include <algorithm>

#include "app/look/imgui_compat.h"
#include "app/look/theme.h"
#include "app/views/steps_view.h"
#include "app/widgets/cell_edit.h"
#include "app/widgets/edit_menu.h"
#include "app/widgets/navigation.h"
#include "core/base/words.h"

namespace attnscope {

// ---- explanation ----
const Explanation* StepsView::explain_cell(const ViewContext& context, const FigureCell& cell) {
  if (!cell.valid() || cell.operand >= static_cast<int>(figure_.operands.size())) return nullptr;
  const Operand& operand = figure_.operands[static_cast<std::size_t>(cell.operand)];
  if (!operand.is_step()) return nullptr;
  const Trace& trace = context.run.trace(context.workspace.cursor.sequence);
  const auto index = source_index(trace, operand, cell.row, cell.col);
  Hash hash;
  hash.take(text_key({key_, static_cast<std::uint64_t>(cell.operand)}));
  for (const std::int64_t i : index) hash.take(static_cast<std::uint64_t>(i));
  if (hash.value() != explained_) {
    explained_ = hash.value();
    auto why = explain(trace, operand.site, index);
    why_ok_ = why.ok();
    if (why_ok_) why_ = *std::move(why);
  }
  return why_ok_ ? &why_ : nullptr;
}

// The pinned cell, if this figure shows it.
FigureCell StepsView::pinned_cell(const ViewContext& context) const {
  const auto& pinned = context.workspace.cursor.pinned;
  if (!pinned) return {};
  const Trace& trace = context.run.trace(context.workspace.cursor.sequence);
  const Source source{{}, pinned->site, false, cell_index(trace, *pinned), 0};
  if (source.index.empty()) return {};
  for (int i = static_cast<int>(figure_.operands.size()) - 1; i >= 0; --i)
    if (const auto spot = spot_of(trace, figure_.operands[static_cast<std::size_t>(i)], source))
      return {i, spot->row, spot->col};
  return {};
}

// One outline around all source cells in an operand; the two of a rotated pair have one
// each.
void StepsView::mark_sources(const Trace& trace, const Operand& operand, const Explanation& why,
                             std::vector<MatrixMark>& marks) {
  const ImU32 colour = operand.colour ? operand.colour : theme().accent;
  Spot low{INT64_MAX, INT64_MAX}, high{-1, -1};
  for (const Term& term : why.terms) {
    for (const Source& factor : term.factors) {
      const auto spot = spot_of(trace, operand, factor);
      if (!spot) continue;
      if (why.rule == Rule::rotate) marks.push_back({spot->row, spot->col, colour});
      low = {std::min(low.row, spot->row), std::min(low.col, spot->col)};
      high = {std::max(high.row, spot->row), std::max(high.col, spot->col)};
    }
  }
  if (high.row >= 0 && why.rule != Rule::rotate)
    marks.push_back({low.row, low.col, colour, high.row - low.row + 1, high.col - low.col + 1});
}

// Outlines of the explained cell's sources in the other matrices.
void StepsView::mark_cell(const ViewContext& context, const FigureCell& cell, const Explanation* why) {
  if (!cell.valid()) return;
  const Trace& trace = context.run.trace(context.workspace.cursor.sequence);
  const Operand& own = figure_.operands[static_cast<std::size_t>(cell.operand)];
  const bool result = why && own.is_step() && own.site == figure_.site;
  for (std::size_t i = 0; result && i < marks_.size(); ++i) {
    const Operand& operand = figure_.operands[i];
    if (operand.part) {
      marks_[i].push_back({cell.row, operand.col.size == 1 ? 0 : cell.col, theme().text_dim});
      continue;
    }
    mark_sources(trace, operand, *why, marks_[i]);
  }
  marks_[static_cast<std::size_t>(cell.operand)].push_back(
      {cell.row, cell.col, theme().accent, 1, 1, metric::kOutline});
}

// Outlines of edits and notes.
void StepsView::mark_document(const ViewContext& context) {
  for (std::size_t i = 0; i < marks_.size(); ++i)
    for (const MatrixMark& mark : document_marks(context, figure_.operands[i]))
      marks_[i].insert(marks_[i].begin(), mark);
}

// The text line below the figure.
void StepsView::spell(const ViewContext& context, const FigureCell& cell, const Explanation* why) {
  hints_ = !cell.valid();
  if (hints_ && !line_.empty() && hint_key_ == key_) return;
  line_.clear();
  hint_key_ = hints_ ? key_ : 0;
  if (hints_) {
    std::vector<const char*> keys{"steps.hint.point", "steps.hint.click"};
    if (!context.run.recorded())
      keys.insert(keys.end(), {"steps.hint.type", "steps.hint.drag", "steps.hint.menu"});
    for (const char* key : keys) line_.push_back({tr(key) + std::string("   "), theme().text_dim});
    return;
  }
  const int sequence = context.workspace.cursor.sequence;
  if (why) {
    line_ = spelled_out(context.run, sequence, *why);
    return;
  }
  const Operand& operand = figure_.operands[static_cast<std::size_t>(cell.operand)];
  const Trace& trace = context.run.trace(sequence);
  const Tensor value = operand_values(trace, operand, {cell.row, cell.row + 1}, {cell.col, cell.col + 1});
  const std::string name =
      operand.is_weight()
          ? weight_cell_text(context.run, operand.weight, source_index(trace, operand, cell.row, cell.col))
          : operand.title + " [" + std::to_string(cell.row) + "]";
  line_.push_back({name, operand.colour});
  line_.push_back({" = "});
  line_.push_back(
      {value.empty() ? std::string() : precise(static_cast<double>(value.at(0, 0))), theme().accent});
}

// ---- mouse and keyboard ----
void StepsView::act(const ViewContext& context, const FigureEvent& event, const FigureCell& pinned) {
  const bool editing = editor_.update(context, figure_, event, plot_);
  if (editing) return;
  const bool enter = compat::key_pressed(compat::Key::enter, false) && !ImGui::GetIO().WantTextInput &&
                     !ImGui::IsAnyItemActive();
  if (enter && pinned.valid()) return editor_.open(context, figure_, pinned);
  if (!event.hovered()) return;
  const Operand& operand = figure_.operands[static_cast<std::size_t>(event.cell.operand)];
  const bool mask = operand.is_step() && operand.site.is(StepRole::mask);
  offer_step_menu(context, operand, event.cell);
  if (event.double_clicked && !mask) {
    editor_.open(context, figure_, event.cell);
    if (!editor_.editing()) plot_.reset_windows();  // not editable: resets the zoom
    return;
  }
  if (!event.clicked || !operand.is_step()) return;
  const int sequence = context.workspace.cursor.sequence;
  if (mask)
    return toggle_mask_cell(context.commands, context.run, sequence, operand.site, event.cell.row,
                            event.cell.col);
  const Cursor before = context.workspace.cursor;
  const Trace& trace = context.run.trace(sequence);
  pin_cell(context.workspace, context.run,
           cell_at(trace, operand.site, source_index(trace, operand, event.cell.row, event.cell.col)));
  if (operand.site == figure_.site) return;
  context.workspace.cursor.step = before.step;  // the cursor keeps its step
  context.workspace.cursor.layer = before.layer;
  context.workspace.cursor.stack = before.stack;
  context.workspace.cursor.part = before.part;
}

}  // namespace attnscope
