#include "app/widgets/figure_hands.h"

#include <algorithm>
#include <cmath>

#include "app/look/pointed.h"
#include "app/look/theme.h"
#include "app/widgets/cell_edit.h"
#include "app/widgets/edit_menu.h"
#include "app/widgets/navigation.h"
#include "app/widgets/places.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/view/view.h"

namespace attnscope {
namespace {

constexpr float kFromPixels = 3.f;        // units; a shorter movement is a click
constexpr float kPixelsPerRange = 120.f;  // units; dragging as far goes through the whole scale

std::string name_of(const figure::Names& names, std::int64_t at) {
  const auto index = static_cast<std::size_t>(at);
  return index < names.labels.size() ? names.labels[index].str() : std::to_string(at);
}

std::string table_word(const FigureHit& row) {
  const auto& table = std::get<figure::TableMark>(row.part->mark);
  return table.rows[static_cast<std::size_t>(row.row)].cells.front().str();
}

void offer_click(const FigureHit& what, const char* help, const std::string& name) {
  ImGui::SetTooltip("%s", tr(help, {name}).c_str());
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  ImGui::GetWindowDrawList()->AddRect(what.p0, what.p1, theme().accent, 4 * ui_scale(), 0, ui_scale());
}

}  // namespace

bool FigureHands::follow(const Context& context) {
  if (!drag_ && ImGui::IsItemHovered()) hover(context);
  if (drag_) drag(context);
  type(context);
  return drag_.has_value();
}

void FigureHands::hover(const Context& context) {
  const auto hit = context.box.hit(ImGui::GetIO().MousePos);
  if (!hit) {
    if (hover_name(context)) return;
    hover_answer(context);
    return hover_near(context);
  }
  const Workspace& workspace = context.workspace;
  const Trace& trace = context.run.trace(workspace.cursor.sequence);
  const figure::MatrixMark& matrix = hit->matrix();
  const auto cell = cell_of(trace, matrix, hit->row, hit->col);
  const bool editable = cell && can_edit(context.run, workspace.cursor.sequence, *cell);
  const std::string pair[] = {name_of(matrix.rows, hit->row), name_of(matrix.cols, hit->col),
                              figure::number_text(static_cast<double>(hit->value()), 4)};
  if (matrix.heads) {
    ImGui::SetTooltip("%s", tr("figure.cell.head", {pair[0], pair[1]}).c_str());
    if (ImGui::IsMouseClicked(0))
      context.workspace.cursor.layer = static_cast<int>(hit->row),
      context.workspace.cursor.head = static_cast<int>(hit->col);
    return;
  }
  const bool hidden = std::isinf(hit->value()) && hit->value() < 0;
  const bool mask = editable && edit_meaning(context.run, cell->site) == CellEdit::mask;
  const char* said = mask     ? "figure.cell.mask"
                     : hidden ? matrix.row(hit->row).scale == figure::Scale::share ? "figure.cell.hidden"
                                                                                   : "figure.cell.masked"
                     : editable && std::isfinite(hit->value()) ? "figure.cell.drag"
                                                               : "figure.cell";
  ImGui::SetTooltip("%s", tr(said, {pair[0], pair[1], pair[2]}).c_str());
  if (!cell) return;
  if (const auto index = cell_index(trace, *cell); !index.empty()) point_cell(cell->site, index);
  offer_edit(context.workspace, {*cell, {}, {}});
  Held held{hit->part->id, hit->row, hit->col, *cell, ImGui::GetIO().MousePos, hit->value(), 0, false, {}};
  const figure::MatrixMark::Row look = matrix.row(hit->row);
  held.share = look.scale == figure::Scale::share;
  held.per_pixel = static_cast<float>(held.share ? 1.0 : 2 * look.most) / (kPixelsPerRange * ui_scale());
  if (editable && !mask && ImGui::IsMouseDoubleClicked(0)) {
    field_.open(held.value);
    typed_ = std::move(held);
  } else if (ImGui::IsMouseClicked(0)) {
    drag_ = std::move(held);
  }
}

// A word of the answer: a click appends it.
void FigureHands::hover_answer(const Context& context) {
  if (!context.appends) return;
  const auto row = context.box.table_row("answer", ImGui::GetIO().MousePos);
  if (!row) return;
  offer_click(*row, "easy.append.help", table_word(*row));
  if (ImGui::IsMouseClicked(0)) output_ = row->row;
}

// A word beside the looked-at one: a click puts it in its place.
void FigureHands::hover_near(const Context& context) {
  if (!context.replaces) return;
  const auto row = context.box.table_row("near", ImGui::GetIO().MousePos);
  if (!row) return;
  offer_click(*row, "easy.replace.help", table_word(*row));
  if (ImGui::IsMouseClicked(0)) word_ = table_word(*row);
}

// The name of a row of queries: a click looks from there.
bool FigureHands::hover_name(const Context& context) {
  const auto row = context.box.row_name(ImGui::GetIO().MousePos);
  if (!row) return false;
  const Trace& trace = context.run.trace(context.workspace.cursor.sequence);
  const auto cell = cell_of(trace, row->matrix(), row->row, 0);
  const AxisRange* query = cell ? range_on(cell->at, "query") : nullptr;
  if (!query) return false;
  offer_click(*row, "figure.name.look", name_of(row->matrix().rows, row->row));
  if (ImGui::IsMouseClicked(0)) context.workspace.cursor.query = query->begin;
  return true;
}

// A cell of a mask is opened or closed; any other is looked at.
void FigureHands::click(const Context& context, const Held& held) {
  const int sequence = context.workspace.cursor.sequence;
  if (edit_meaning(context.run, held.cell.site) != CellEdit::mask ||
      !can_edit(context.run, sequence, held.cell))
    return pin_cell(context.workspace, context.run, held.cell);
  const AxisRange *query = range_on(held.cell.at, "query"), *key = range_on(held.cell.at, "key");
  if (query && key)
    toggle_mask_cell(context.commands, context.run, sequence, held.cell.site, query->begin, key->begin);
}

void FigureHands::drag(const Context& context) {
  Held& held = *drag_;
  const ImVec2 now = ImGui::GetIO().MousePos;
  const float moved = (now.x - held.from.x) + (held.from.y - now.y);  // up and right make it larger
  const int sequence = context.workspace.cursor.sequence;
  if (!ImGui::IsMouseDown(0)) {
    if (held.gesture.empty())
      click(context, held);
    else
      context.commands.end_gesture();
    drag_.reset();
    return;
  }
  if (held.gesture.empty()) {
    const float far = std::max(std::abs(now.x - held.from.x), std::abs(now.y - held.from.y));
    if (far < kFromPixels * ui_scale() || !std::isfinite(held.value) ||
        edit_meaning(context.run, held.cell.site) == CellEdit::mask ||
        !can_edit(context.run, sequence, held.cell))
      return;
    held.gesture = "figure_drag_" + std::to_string(++gestures_);
  }
  ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeAll);
  float value = held.value + moved * held.per_pixel;
  if (held.share) value = std::clamp(value, 0.f, 1.f);
  const ImVec2 delta = ImGui::GetIO().MouseDelta;
  if (delta.x != 0 || delta.y != 0)
    edit_cell(context.commands, context.run, sequence, held.cell, value, held.gesture);
}

void FigureHands::type(const Context& context) {
  if (!typed_ || !field_.is_open()) return;
  const auto cell = context.box.cell(typed_->part, typed_->row, typed_->col);
  if (!cell) return field_.close();
  const auto value = field_.draw("figure", cell->p0, cell->p1);
  if (!value) return;
  const int sequence = context.workspace.cursor.sequence;
  if (!can_edit(context.run, sequence, typed_->cell)) return field_.refuse();
  if (typed_->share && !(*value >= 0 && *value <= 1)) return field_.refuse("easy.cell.share");
  edit_cell(context.commands, context.run, sequence, typed_->cell, *value, {});
  field_.close();
}

}  // namespace attnscope
