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
#include "core/step/catalog.h"
#include "core/view/view.h"

namespace attnscope {
namespace {

constexpr float kFromPixels = 3.f;        // units; a shorter movement is a click
constexpr float kPixelsPerRange = 120.f;  // units; dragging as far goes through the whole scale

std::string name_of(const figure::Names& names, std::int64_t at) {
  const auto index = static_cast<std::size_t>(at);
  return index < names.labels.size() ? names.labels[index].str() : std::to_string(at);
}

// Above what it speaks of: over the part of a row drawn large, over the cell of a plane; so that it hides
// neither the row nor what stands below the figure.
void tell_above(const FigureHands::Context& context, const FigureHit& hit, const std::string& said) {
  const ItemRect part = context.box.part_rect(hit.part->id);
  const auto* matrix = std::get_if<figure::MatrixMark>(&hit.part->mark);
  const bool large = matrix && !matrix->order.empty();
  const ImVec2 size = ImGui::CalcTextSize(said.c_str()), padding = ImGui::GetStyle().WindowPadding;
  const float high = size.y + 2 * padding.y, wide = size.x + 2 * padding.x, gap = 4 * ui_scale();
  float y = (large ? part.p0.y : hit.p0.y) - gap - high;
  if (y < 0) y = (large ? part.p1.y : hit.p1.y) + gap;
  const float room = std::max(0.f, ImGui::GetIO().DisplaySize.x - wide);
  ImGui::SetNextWindowPos(ImVec2(std::min(std::max(0.f, (hit.p0.x + hit.p1.x - wide) / 2), room), y));
  ImGui::SetTooltip("%s", said.c_str());
}

// What a click on a row of a table does.
void offer_click(const FigureHands::Context& context, const FigureHit& row, const std::string& said) {
  tell_above(context, row, said);
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  ImGui::GetWindowDrawList()->AddRect(row.p0, row.p1, theme().accent, 4 * ui_scale(), 0, ui_scale());
}

// The part of the model that adds something to the stream, in the view that shows it.
void look_at_part(Workspace& workspace, const std::string& of) {
  const auto place = parse_place(of);
  const auto site = place ? parse_site(place->name) : Result<Site>(place.error());
  if (!site) return;
  Cursor& cursor = workspace.cursor;
  if (site->layer >= 0) cursor.layer = site->layer;
  if (site->is(StepRole::neurons))
    workspace.view = "steps", workspace.station = "mlp";
  else if (site->is(StepRole::branch, Hue::mlp))
    workspace.view = "mlp";
  else if (site->layer < 0)
    workspace.view = "embedding";
  else
    workspace.view = "attention", cursor.part = site->part;
}

// The row of the run that a row of a matrix is, where it is another one than that which is looked at.
std::optional<std::int64_t> row_named(const FigureHands::Context& context, const FigureHit& name) {
  const Cursor& cursor = context.workspace.cursor;
  const auto cell = cell_of(context.run.trace(cursor.sequence), name.matrix(), name.row, 0);
  const AxisRange* at = cell ? range_on(cell->at, "pos") : nullptr;
  if (!at || at->begin == cursor.query || rows_stack(cell->site, Axis::pos) != cursor.stack) return {};
  return at->begin;
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
    const auto name = context.box.row_name(ImGui::GetIO().MousePos);
    const auto row = name ? row_named(context, *name) : std::nullopt;
    if (!row) return hover_near(context) ? void() : hover_tables(context);
    tell_above(context, *name, tr("figure.name.look", {name_of(name->matrix().rows, name->row)}));
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (ImGui::IsMouseClicked(0)) context.workspace.cursor.query = *row;
    return;
  }
  const Workspace& workspace = context.workspace;
  const Trace& trace = context.run.trace(workspace.cursor.sequence);
  const figure::MatrixMark& matrix = hit->matrix();
  const auto cell = cell_of(trace, matrix, hit->row, hit->col);
  const bool editable = cell && can_edit(context.run, workspace.cursor.sequence, *cell);
  const std::string pair[] = {name_of(matrix.rows, hit->row), name_of(matrix.cols, hit->col),
                              figure::number_text(static_cast<double>(hit->value()), 4)};
  if (matrix.heads) {
    tell_above(context, *hit, tr("figure.cell.head", {pair[0], pair[1]}));
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
  tell_above(context, *hit, tr(said, {pair[0], pair[1], pair[2]}));
  if (!cell) {
    if (ImGui::IsMouseClicked(0)) clicked_ = Clicked{hit->part->id, hit->row, hit->col};
    return;
  }
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

// The rows of tables: a word of the answer is appended; a part of the model is looked at.
void FigureHands::hover_tables(const Context& context) {
  for (const figure::PlacedPart& part : context.box.placed().parts) {
    const auto* table = std::get_if<figure::TableMark>(&part.part->mark);
    if (!table) continue;
    const auto row = context.box.table_row(part.part->id, ImGui::GetIO().MousePos);
    if (!row) continue;
    const figure::TableMark::Row& one = table->rows[static_cast<std::size_t>(row->row)];
    const bool appends = table->leads && context.appends;
    if (!appends && one.of.empty()) return;
    const char* said = appends ? "easy.append.help" : "figure.part.look";
    offer_click(context, *row, tr(said, {one.cells.front().str()}));
    if (!ImGui::IsMouseClicked(0)) return;
    if (appends)
      output_ = Output{part.part->id, row->row};
    else
      look_at_part(context.workspace, one.of);
    return;
  }
}

// A word beside the looked-at one: a click puts it in its place. False where the mouse is on none.
bool FigureHands::hover_near(const Context& context) {
  if (!context.replaces) return false;
  const auto row = context.box.table_row("near", ImGui::GetIO().MousePos);
  if (!row) return false;
  const auto& table = std::get<figure::TableMark>(row->part->mark);
  const std::string word = table.rows[static_cast<std::size_t>(row->row)].cells.front().str();
  offer_click(context, *row, tr("easy.replace.help", {word}));
  if (ImGui::IsMouseClicked(0)) word_ = word;
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
    if (held.gesture.empty()) {
      click(context, held);
      clicked_ = Clicked{held.part, held.row, held.col};
    } else {
      context.commands.end_gesture();
    }
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
