// The watch list: for each address its current value and a plot over the positions or, during training, over
// the optimiser steps; and conditions at which playing stops. Values are computed in core.
#include <cmath>
#include <cstdint>

#include "app/look/item_map.h"
#include "app/panels/inspector/inspector_parts.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/navigation.h"
#include "core/lens/watch.h"
#include "core/trace/place_cells.h"

namespace attnscope {
namespace {

constexpr float kCourseHeight = 22.f;
constexpr std::size_t kMostPoints = 2000;

/// The values of an address in a run.
struct Course {
  std::uint64_t run = 0;
  int sequence = -1, training = -1;
  std::optional<double> value;
  std::vector<double> over_rows, over_training;
};
struct Courses {
  std::map<std::string, Course> all;
};

Courses& courses_of(InspectorCache& cache) {
  if (!cache.watch) cache.watch = std::make_shared<Courses>();
  return *std::static_pointer_cast<Courses>(cache.watch);
}

// Computed again for every new run.
const Course& course_of(const PanelContext& context, const std::string& text, const Watch& watch) {
  Course& course = courses_of(inspector_cache(context.workspace)).all[text];
  const int sequence = context.workspace.cursor.sequence, training = context.session.shown_training_step();
  if (course.run == context.run->version && course.sequence == sequence) return course;
  const Trace& trace = context.run->trace(sequence);
  if (training < 0 || training < course.training) course.over_training.clear();
  course.run = context.run->version, course.sequence = sequence, course.training = training;
  course.value = watch_value(trace, watch);
  course.over_rows = watch_series(trace, watch);
  if (training >= 0 && course.value && course.over_training.size() < kMostPoints)
    course.over_training.push_back(*course.value);
  return course;
}

// A plot of the values with the numbers of its ends at the right; `at`: the current position.
void draw_course(const std::vector<double>& values, std::int64_t at) {
  const ImVec2 p0 = ImGui::GetCursorScreenPos();
  const ImVec2 size(ImGui::GetContentRegionAvail().x - px(6), px(kCourseHeight));
  double least = INFINITY, most = -INFINITY;
  for (const double value : values)
    if (std::isfinite(value)) least = std::min(least, value), most = std::max(most, value);
  ImGui::Dummy(size);
  if (!(most >= least)) return;
  const Canvas canvas;
  const double reach = most > least ? most - least : 1;
  const auto point = [&](std::size_t i) {
    const float x = values.size() < 2 ? 0.5f : static_cast<float>(i) / static_cast<float>(values.size() - 1);
    const double y = (values[i] - least) / reach;
    return ImVec2(p0.x + px(3) + (size.x - px(6)) * x,
                  p0.y + size.y - px(3) - (size.y - px(6)) * static_cast<float>(y));
  };
  canvas.line(ImVec2(p0.x, p0.y + size.y), ImVec2(p0.x + size.x, p0.y + size.y), theme().border);
  for (std::size_t i = 0; i + 1 < values.size(); ++i)
    if (std::isfinite(values[i]) && std::isfinite(values[i + 1]))
      canvas.line(point(i), point(i + 1), theme().accent, px(1.5f));
  const auto here = static_cast<std::size_t>(std::max<std::int64_t>(at, 0));
  if (at >= 0 && here < values.size() && std::isfinite(values[here]))
    canvas.fill_circle(point(here), px(3), theme().warning);
  if (!ImGui::IsItemHovered()) return;
  const float share = (ImGui::GetIO().MousePos.x - p0.x - px(3)) / std::max(1.f, size.x - px(6));
  const auto i = static_cast<std::size_t>(
      std::lround(std::clamp(share, 0.f, 1.f) * static_cast<float>(values.size() - 1)));
  ImGui::SetTooltip("%s", tr("watch.point", {std::to_string(i), shown_number(values[i])}).c_str());
}

std::int64_t row_of(const Trace& trace, const Watch& watch) {
  const auto targets = targets_of(trace, watch.of);
  const AxisRange* row = targets ? range_on(targets->front().at, "pos") : nullptr;
  return row ? row->begin : -1;
}

void go_there(const PanelContext& context, const Watch& watch) {
  const Trace& trace = context.run->trace(context.workspace.cursor.sequence);
  const auto targets = targets_of(trace, watch.of);
  if (!targets || !trace.find(targets->front().site)) return;
  const Cell cell{targets->front().site, targets->front().at};
  go_to_site(context.workspace, *context.run, cell.site);
  if (!cell_index(trace, cell).empty()) pin_cell(context.workspace, *context.run, cell);
}

/// True when it is to be removed.
bool draw_watched(const PanelContext& context, const std::string& text, int number) {
  const std::string id = "watch" + std::to_string(number);
  const WithId scope(id.c_str());
  const auto watch = parse_watch(text);
  if (!watch) return true;
  const Course& course = course_of(context, text, *watch);
  const float right =
      ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - ImGui::GetFrameHeight() * 0.9f;
  const std::string value = course.value ? shown_number(*course.value) : tr("watch.missing");
  {
    const WithFont mono(fonts().mono_small);
    const float wide = ImGui::CalcTextSize(value.c_str()).x;
    {
      const WithColour ink(ImGuiCol_Text, theme().accent);
      ImGui::TextUnformatted(shortened(text, right - ImGui::GetCursorPosX() - wide - px(16)).c_str());
    }
    if (ImGui::IsItemClicked()) go_there(context, *watch);
    note_item(id);
    compat::item_tooltip(text.c_str());
    ImGui::SameLine(right - wide - px(6));
    ImGui::TextUnformatted(value.c_str());
  }
  ImGui::SameLine(right);
  const bool remove = close_button("###remove");
  note_item("remove_" + id);
  const bool trains = course.over_training.size() > 1;
  const auto& values = trains ? course.over_training : course.over_rows;
  if (values.size() > 1)
    draw_course(values, trains ? -1 : row_of(context.run->trace(context.workspace.cursor.sequence), *watch));
  return remove;
}

/// A text field; true when Enter was pressed on text that `parse` accepts.
template <class Parse>
bool inspector_watch_draw_field(const char* id, const char* hint, std::string& text,
                                std::optional<Error>& error, Parse parse) {
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - px(6));
  const WithFont mono(fonts().mono_small);
  const bool entered = ImGui::InputTextWithHint(id, hint, &text, ImGuiInputTextFlags_EnterReturnsTrue);
  note_item(id);
  if (ImGui::IsItemEdited()) error.reset();
  bool given = false;
  if (entered && !text.empty()) {
    const auto read = parse(text);
    error.reset();
    if (!read) error = read.error();
    given = read.ok();
  }
  if (error) wrapped_text(error->text(), theme().error);
  return given;
}

void draw_stops(const PanelContext& context) {
  Workspace& workspace = context.workspace;
  InspectorCache& cache = inspector_cache(workspace);
  section_title(tr("watch.stops"));
  int number = 0;
  for (std::size_t i = 0; i < workspace.stops.size(); ++i) {
    const WithId scope(number++);
    const float right =
        ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - ImGui::GetFrameHeight() * 0.9f;
    {
      const WithFont mono(fonts().mono_small);
      ImGui::TextUnformatted(workspace.stops[i].c_str());
    }
    ImGui::SameLine(right);
    if (!close_button("###remove_stop")) continue;
    workspace.stops.erase(workspace.stops.begin() + static_cast<std::ptrdiff_t>(i));
    break;
  }
  if (!inspector_watch_draw_field("###new_stop", tr("watch.stops.new"), cache.new_stop, cache.stop_error,
                                  parse_stop))
    return;
  workspace.stops.push_back(to_text(*parse_stop(cache.new_stop)));
  cache.new_stop.clear();
}

}  // namespace

void draw_watch(const PanelContext& context) {
  Workspace& workspace = context.workspace;
  InspectorCache& cache = inspector_cache(workspace);
  section_title(tr("watch.title"));
  if (workspace.watched.empty()) wrapped_text(tr("watch.none"), theme().text_dim);
  for (std::size_t i = 0; i < workspace.watched.size(); ++i)
    if (draw_watched(context, workspace.watched[i], static_cast<int>(i))) {
      workspace.watched.erase(workspace.watched.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    }
  const Place* place = place_of(workspace);
  const std::string pinned = place && !place->is_weight() ? to_text(place->cell) : std::string();
  const bool known =
      std::find(workspace.watched.begin(), workspace.watched.end(), pinned) != workspace.watched.end();
  if (!pinned.empty() && !known && raised_button(Label(tr("watch.pinned"), "###watch_pinned")))
    workspace.watched.push_back(pinned);
  if (inspector_watch_draw_field("###new_watch", tr("watch.new"), cache.new_watch, cache.watch_error,
                                 parse_watch)) {
    workspace.watched.push_back(to_text(*parse_watch(cache.new_watch)));
    cache.new_watch.clear();
  }
  draw_stops(context);
}

}  // namespace attnscope
