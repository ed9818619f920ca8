// Drawn over everything: covers the cells that a page hides with question marks, and highlights what it
// points at. A click on a covered cell pins it, as a click on the cell would.
#include <algorithm>
#include <cmath>

#include "app/figure/canvas.h"
#include "app/look/item_map.h"
#include "app/panels/lesson/lesson_panel.h"
#include "app/state/controls.h"
#include "app/widgets/matrix_lens.h"
#include "app/widgets/navigation.h"
#include "core/base/names.h"

namespace attnscope {
namespace {

constexpr float kLowItem = 40.f;  // units

/// A range of cells of a matrix on the screen, in the matrix's own rows and columns.
struct Patch {
  std::string name = {};  ///< item name of the matrix
  const ItemRect* matrix = nullptr;
  std::int64_t row0 = 0, row1 = 0, col0 = 0, col1 = 0;

  ImVec2 corner(double row, double col) const {
    const ItemRect& m = *matrix;
    const double x = (col - m.col0) / std::max(1e-9, m.col1 - m.col0),
                 y = (row - m.row0) / std::max(1e-9, m.row1 - m.row0);
    return {m.p0.x + static_cast<float>(x) * (m.p1.x - m.p0.x),
            m.p0.y + static_cast<float>(y) * (m.p1.y - m.p0.y)};
  }
  /// Rectangle of the visible part, pixels; false if nothing is visible.
  bool rect(ImVec2& p0, ImVec2& p1) const {
    p0 = corner(static_cast<double>(row0), static_cast<double>(col0));
    p1 = corner(static_cast<double>(row1), static_cast<double>(col1));
    p0 = ImVec2(std::max(p0.x, matrix->seen0.x), std::max(p0.y, matrix->seen0.y));
    p1 = ImVec2(std::min(p1.x, matrix->seen1.x), std::min(p1.y, matrix->seen1.y));
    // Whole pixels: of a cell that ends between two, no line is left in sight.
    p0 = ImVec2(std::floor(p0.x), std::floor(p0.y)), p1 = ImVec2(std::ceil(p1.x), std::ceil(p1.y));
    return p1.x > p0.x + 1 && p1.y > p0.y + 1;
  }
};

// The range of a target on one axis of the matrix; the whole axis if the target does not restrict it.
bool range_on(const std::vector<std::string>& axes, int axis, const Target& target, std::int64_t first,
              std::int64_t size, std::int64_t& begin, std::int64_t& end) {
  begin = 0, end = size;
  if (axis < 0) return true;
  for (const AxisRange& range : target.at)
    if (range.axis == axes[static_cast<std::size_t>(axis)]) {
      begin = std::max<std::int64_t>(0, range.begin - first);
      end = std::min(size, range.end - first);
    }
  return begin < end;
}

std::vector<std::string> axes_of(const Trace& trace, const CellsPlace& place) {
  std::vector<std::string> out;
  if (!place.weight.empty()) {
    const Tensor weight = trace.weights().get(place.weight);
    for (int d = 0; d < weight.rank(); ++d) out.emplace_back(axis_name(weight.axis(d)));
  } else if (const Record* record = trace.find(place.site)) {
    for (const Axis axis : record->axes) out.emplace_back(axis_name(axis));
  }
  return out;
}

/// The cells of a target in one matrix; row1 = 0 if it shows none of them.
Patch patch_of(const Trace& trace, const Target& target, const ItemRect& item) {
  const CellsPlace& place = item.place;
  const bool weight = target.kind == Target::Kind::weight;
  if (place.first.empty() || weight != !place.weight.empty()) return {};
  if (weight ? place.weight != target.weight : !(place.site == target.site)) return {};
  const std::vector<std::string> axes = axes_of(trace, place);
  if (axes.size() != place.first.size()) return {};
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {  // axes that are neither rows nor columns
    if (static_cast<int>(axis) == place.row_axis || static_cast<int>(axis) == place.col_axis) continue;
    for (const AxisRange& range : target.at)
      if (range.axis == axes[axis] && (place.first[axis] < range.begin || place.first[axis] >= range.end))
        return {};
  }
  Patch out{"", &item, 0, 0, 0, 0};
  const auto first = [&](int axis) { return axis < 0 ? 0 : place.first[static_cast<std::size_t>(axis)]; };
  if (!range_on(axes, place.row_axis, target, first(place.row_axis), item.rows, out.row0, out.row1))
    return {};
  if (!range_on(axes, place.col_axis, target, first(place.col_axis), item.cols, out.col0, out.col1))
    return {};
  return out;
}

std::vector<Patch> patches_of(const Trace& trace, const Target& target) {
  std::vector<Patch> out;
  for (const auto& [name, item] : noted_items()) {
    if (item.rows == 0) continue;
    Patch patch = patch_of(trace, target, item);
    patch.name = name;
    if (patch.row1 > patch.row0 && patch.col1 > patch.col0) out.push_back(patch);
  }
  return out;
}

// The parts of a softmax have no place of their own: a row of them says the same row of the weights.
std::vector<Patch> softmax_parts_of(const std::vector<Patch>& weights) {
  std::vector<Patch> out;
  for (const Patch& row : weights) {
    if (row.name != "matrix.steps/result" || !row.matrix->place.site.is(StepRole::pattern)) continue;
    for (const char* name : {"matrix.steps/exp", "matrix.steps/sum"})
      if (const auto part = noted_items().find(name); part != noted_items().end())
        out.push_back({name, &part->second, row.row0, row.row1, 0, part->second.cols});
  }
  return out;
}

// ---- covered cells --------------------------------------------------------------------------------

// Where no cell is asked for, nothing is pinned: the line below the figure would spell it out.
void choose(FrameState& state, const Patch& patch, std::int64_t row, std::int64_t col) {
  const CellsPlace& place = patch.matrix->place;
  if (!place.weight.empty() || !std::holds_alternative<CellAsk>(state.lessons.page().ask)) return;
  std::vector<std::int64_t> index = place.first;
  if (place.row_axis >= 0) index[static_cast<std::size_t>(place.row_axis)] += row;
  if (place.col_axis >= 0) index[static_cast<std::size_t>(place.col_axis)] += col;
  const RunResult& run = state.lessons.run();
  pin_cell(state.workspace, run, cell_at(run.trace(state.workspace.cursor.sequence), place.site, index));
  // The click answers: otherwise the values shown beside the matrix would reveal the pinned cell.
  state.lessons.check(state.workspace);
}

void draw_cover(const FrameState& state, const Patch& patch, ImVec2 p0, ImVec2 p1) {
  const Canvas canvas;
  canvas.fill_rect(p0, p1, theme().panel_raised);
  const auto& pinned = state.workspace.cursor.pinned;
  for (std::int64_t row = patch.row0; row < patch.row1; ++row)
    for (std::int64_t col = patch.col0; col < patch.col1; ++col) {
      const ImVec2 c0 = patch.corner(static_cast<double>(row), static_cast<double>(col)),
                   c1 = patch.corner(static_cast<double>(row + 1), static_cast<double>(col + 1));
      canvas.rect(c0, c1, theme().border);
      const bool small = c1.x - c0.x < px(14) || c1.y - c0.y < px(14);
      const Target cell = pinned ? target_of(*pinned) : Target{};
      const Patch chosen =
          pinned ? patch_of(state.lessons.run().trace(state.workspace.cursor.sequence), cell, *patch.matrix)
                 : Patch{};
      const bool mine = chosen.matrix && chosen.row0 == row && chosen.col0 == col;
      if (mine) canvas.fill_rect(c0, c1, theme().accent_soft);
      if (small) continue;
      const ImVec2 size = text_size(fonts().body_bold, "?");
      draw_text(canvas, fonts().body_bold, ImVec2((c0.x + c1.x - size.x) / 2, (c0.y + c1.y - size.y) / 2),
                mine ? theme().accent : theme().text_dim, "?");
    }
  canvas.rect(p0, p1, theme().accent, 0, 0, px(2));
}

void cover(FrameState& state, const Patch& patch, int number) {
  ImVec2 p0, p1;
  if (!patch.rect(p0, p1)) return;
  ImGui::SetCursorScreenPos(p0);
  const std::string id = "###lesson_cover" + std::to_string(number);
  compat::begin_child(id.c_str(), ImVec2(p1.x - p0.x, p1.y - p0.y), false, ImGuiWindowFlags_NoScrollbar);
  const bool clicked = hit_area(id.c_str(), ImVec2(p1.x - p0.x, p1.y - p0.y));
  note_item("lesson_cover" + std::to_string(number));
  const ImVec2 mouse = ImGui::GetIO().MousePos, cell0 = patch.corner(0, 0), cell1 = patch.corner(1, 1);
  draw_cover(state, patch, p0, p1);
  ImGui::EndChild();
  if (!clicked) return;
  const auto at = [](float place, float begin, float end) {
    return static_cast<std::int64_t>(std::floor((place - begin) / std::max(1.f, end - begin)));
  };
  choose(state, patch, std::clamp(at(mouse.y, cell0.y, cell1.y), patch.row0, patch.row1 - 1),
         std::clamp(at(mouse.x, cell0.x, cell1.x), patch.col0, patch.col1 - 1));
}

void cover_rect(ImVec2 p0, ImVec2 p1, int number) {
  ImGui::SetCursorScreenPos(p0);
  const std::string id = "###lesson_cover" + std::to_string(number);
  compat::begin_child(id.c_str(), ImVec2(p1.x - p0.x, p1.y - p0.y), false, ImGuiWindowFlags_NoScrollbar);
  const Canvas canvas;
  canvas.fill_rect(p0, p1, theme().panel_raised);
  const ImVec2 size = text_size(fonts().body_bold, "?");
  draw_text(canvas, fonts().body_bold, ImVec2((p0.x + p1.x - size.x) / 2, (p0.y + p1.y - size.y) / 2),
            theme().text_dim, "?");
  ImGui::EndChild();
  note_item("lesson_cover" + std::to_string(number), ItemRect{p0, p1});
}

// Items that a page hides: a sentence that says what is asked, a matrix. Whole pixels, and one more: a frame
// is drawn around a picture. The number of the next cover.
int cover_items(const std::string& pattern, int number, std::vector<HiddenCells>& secrets) {
  std::vector<ItemRect> found;
  for (const auto& [name, item] : noted_items()) {
    if (!fits_pattern(pattern, name)) continue;
    if (item.in_sight()) found.push_back(item);
    if (item.rows > 0) secrets.push_back({name, 0, item.rows, 0, item.cols});
  }
  for (const ItemRect& item : found)
    cover_rect(ImVec2(std::floor(item.seen0.x) - 1, std::floor(item.seen0.y) - 1),
               ImVec2(std::ceil(item.seen1.x) + 1, std::ceil(item.seen1.y) + 1), number++);
  return number;
}

// The same rows in the thumbnails of all heads: others may say the same. In a window of its own, for that of
// the thumbnails lies over the stage; clicks go through it.
void cover_thumbnails(const FrameState& state, const Trace& trace, const Target& target) {
  const Record* record = target.kind == Target::Kind::step ? trace.find(target.site) : nullptr;
  const Cursor& cursor = state.workspace.cursor;
  if (!record || record->axes.size() != 3 || record->axes[0] != Axis::head || record->axes[2] != Axis::key ||
      target.site.stack != cursor.stack || target.site.part != cursor.part)
    return;
  std::int64_t row0 = 0, row1 = record->shape[1];
  for (const AxisRange& one : target.at)
    if (one.axis == "query") row0 = one.begin, row1 = std::min(one.end, row1);
  std::vector<std::pair<std::string, ItemRect>> thumbnails;
  for (const auto& [name, item] : noted_items())
    if (name.starts_with("thumb_") && item.in_sight()) thumbnails.emplace_back(name, item);
  for (const auto& [name, item] : thumbnails) {
    const float each = (item.p1.y - item.p0.y) / static_cast<float>(record->shape[1]);
    ImVec2 p0(std::floor(item.p0.x), std::floor(item.p0.y + each * static_cast<float>(row0)) - 1),
        p1(std::ceil(item.p1.x), std::ceil(item.p0.y + each * static_cast<float>(row1)) + 1);
    p0 = ImVec2(std::max(p0.x, std::floor(item.seen0.x)), std::max(p0.y, std::floor(item.seen0.y)));
    p1 = ImVec2(std::min(p1.x, std::ceil(item.seen1.x)), std::min(p1.y, std::ceil(item.seen1.y)));
    if (p1.x <= p0.x || p1.y <= p0.y) continue;
    ImGui::SetCursorScreenPos(p0);
    compat::begin_child(("###lesson_" + name).c_str(), ImVec2(p1.x - p0.x, p1.y - p0.y), false,
                        ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoInputs);
    Canvas().fill_rect(p0, p1, theme().panel_raised);
    ImGui::EndChild();
    note_item("lesson_" + name, ItemRect{p0, p1});
  }
}

// ---- highlights -----------------------------------------------------------------------------------

// The number stands at the upper right corner; beside a low item, whose line of words it would cover.
ImVec2 sign_place(ImVec2 p0, ImVec2 p1, float r) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const bool low = p1.y - p0.y < px(kLowItem);
  const ImVec2 place = low ? ImVec2(p1.x + px(6) + r, (p0.y + p1.y) / 2) : ImVec2(p1.x + px(4), p0.y - px(4));
  return {std::min(place.x, screen.x - r), std::max(place.y, r)};
}

void glow(ImVec2 p0, ImVec2 p1, int number, bool moving) {
  note_item("lesson_point" + std::to_string(number), {p0, p1});
  ImDrawList* list = ImGui::GetForegroundDrawList();
  const float breath = moving ? 0.5f + 0.5f * std::sin(static_cast<float>(ImGui::GetTime()) * 3.f) : 1.f;
  for (int ring = 2; ring >= 0; --ring) {
    const float out = px(2.f + 2.f * static_cast<float>(ring));
    list->AddRect(ImVec2(p0.x - out, p0.y - out), ImVec2(p1.x + out, p1.y + out),
                  with_alpha(theme().accent, ring == 0 ? 1.f : (0.10f + 0.12f * breath)), px(5), 0, px(2));
  }
  const std::string sign = std::to_string(number);
  const float r = px(10);
  const ImVec2 centre = sign_place(p0, p1, r);
  list->AddCircleFilled(centre, r, theme().accent);
  const ImVec2 size = text_size(fonts().body_bold, sign);
  draw_text(Canvas(list), fonts().body_bold, ImVec2(centre.x - size.x / 2, centre.y - size.y / 2),
            theme().on_accent, sign);
}

void point_at(FrameState& state, const std::string& what, int number) {
  const bool moving = state.workspace.animate;
  if (!is_item(what)) {
    if (state.workspace.cursor.sequence != state.lessons.sequence()) return;
    const auto target = state.lessons.place(what);
    if (!target) return;
    const Trace& trace = state.lessons.run().trace(state.workspace.cursor.sequence);
    ImVec2 p0, p1;
    for (const Patch& patch : patches_of(trace, *target))
      if (patch.rect(p0, p1)) glow(p0, p1, number, moving);
    return;
  }
  for (const auto& [name, item] : noted_items())
    if (fits_pattern(what, name) && item.in_sight()) {
      const ImVec2 p0 = item.seen0, p1 = item.seen1;
      return glow(p0, p1, number, moving);
    }
}

}  // namespace

void draw_lesson_overlay(FrameState& state) {
  LessonPlayer& player = state.lessons;
  if (!player.open() || !player.ready()) return hide_from_lens({});
  const Trace& trace = player.run().trace(state.workspace.cursor.sequence);
  std::vector<HiddenCells> secrets;
  int number = 0;
  const DrawRecording recording(state.recording);  // exported pictures hide them, too
  if (player.covers()) {
    for (const std::string& hidden : player.page().hides)
      if (is_item(hidden)) number = cover_items(hidden, number, secrets);
    for (const Target& target : player.hidden()) {
      cover_thumbnails(state, trace, target);
      std::vector<Patch> patches = patches_of(trace, target);
      for (Patch& part : softmax_parts_of(patches)) patches.push_back(std::move(part));
      for (const Patch& patch : patches) {
        cover(state, patch, number++);
        secrets.push_back({patch.name, patch.row0, patch.row1, patch.col0, patch.col1});
      }
    }
  }
  hide_from_lens(std::move(secrets));
  if (ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel)) return;
  number = 0;
  for (const std::string& point : player.page().points) point_at(state, point, ++number);
}

}  // namespace attnscope
