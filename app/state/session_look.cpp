#include "app/state/session_look.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/state/cursor.h"
#include "app/views/view.h"
#include "app/widgets/navigation.h"
#include "core/lens/watch.h"
#include "core/session/ask_look.h"
#include "core/session/look_read.h"

namespace attnscope {
namespace {

using Json = nlohmann::json;

bool has_view_row(const std::string& id) {
  const auto& table = view_table();
  return std::any_of(table.begin(), table.end(), [&](const ViewRow& row) { return row.id == id; });
}

}  // namespace

namespace {

// The path of places in the inspector, and how its terms are listed.
Json inspector_look(const InspectorState& inspector) {
  Json trail = Json::array();
  for (const Place& place : inspector.trail)
    trail.push_back(place.is_weight() ? Json{{"weight", place.weight}, {"at", place.index}}
                                      : Json(to_text(place.cell)));
  return {{"trail", trail}, {"all_terms", inspector.all_terms}, {"largest_first", inspector.largest_first}};
}

std::optional<Place> cell_place(const Json& text, const Trace& trace) {
  const auto cell = parse_cell(text.get<std::string>());
  if (!cell || !trace.find(cell->site)) return std::nullopt;
  return Place{*cell, {}, {}};
}

std::optional<Place> weight_place(const Json& one, const Trace& trace) {
  Place place;
  const Json none, &at = one.is_object() && one.contains("at") ? one["at"] : none;
  if (one.is_object()) session_look_read(one, "weight", place.weight);
  const Tensor* weight = trace.weights().find(place.weight);
  if (!weight || !at.is_array() || static_cast<int>(at.size()) != weight->rank()) return std::nullopt;
  for (int d = 0; d < weight->rank(); ++d) {
    const Json& index = at[static_cast<std::size_t>(d)];
    if (!index.is_number_unsigned() || index.get<std::int64_t>() >= weight->size(d)) return std::nullopt;
    place.index.push_back(index.get<std::int64_t>());
  }
  return place;
}

void take_inspector(const Json& look, const Trace& trace, InspectorState& inspector) {
  const auto found = look.find("inspector");
  inspector.trail.clear();
  if (found == look.end() || !found->is_object()) return;
  session_look_read(*found, "all_terms", inspector.all_terms);
  session_look_read(*found, "largest_first", inspector.largest_first);
  for (const Json& one : found->value("trail", Json::array())) {
    std::optional<Place> place = one.is_string() ? cell_place(one, trace) : weight_place(one, trace);
    if (!place) return inspector.trail.clear();
    inspector.trail.push_back(*std::move(place));
  }
}

// The labs that were opened, with their values as typed text.
Json lab_look(const Workspace& workspace) {
  Json out = Json::object();
  for (const auto& [name, values] : workspace.lab_values)
    if (const auto lab = find_lab(name))
      for (const LabControl& control : (*lab)->controls)
        if (values.all().contains(control.id())) out[name][control.id()] = value_text(control, values);
  return out;
}

void take_labs(const Json& look, Workspace& workspace) {
  session_look_read(look, "lab", workspace.lab);
  const auto found = look.find("lab_values");
  if (found == look.end() || !found->is_object()) return;
  for (const auto& [name, controls] : found->items()) {
    const auto lab = find_lab(name);
    if (!lab || !controls.is_object()) continue;
    LabValues values = initial_values(**lab);
    for (const auto& [id, value] : controls.items())
      if (value.is_string()) (void)set_value(**lab, values, id + "=" + value.get<std::string>());
    workspace.lab_values[name] = values;
  }
}

}  // namespace

Json look_of(const Workspace& workspace) {
  const Cursor& cursor = workspace.cursor;
  Json at = {{"sequence", cursor.sequence},
             {"layer", cursor.layer},
             {"head", cursor.head},
             {"query", cursor.query},
             {"key", cursor.key},
             {"step", to_text(cursor.step)},
             {"cross", cursor.part == Part::cross}};
  if (cursor.pinned) at["pinned"] = to_text(*cursor.pinned);
  return {{"level", name_of_value(workspace.level, kLevels)},
          {"view", workspace.view},
          {"station", workspace.station},
          {"second_view", workspace.second_view},
          {"difference", workspace.show_difference},
          {"shows_pinned", workspace.shows_pinned},
          {"log_scale", workspace.log_scale},
          {"modules", workspace.shows_modules},
          {"backward", workspace.backward},
          {"backward_target", workspace.backward_target},
          {"backward_rows", name_of_value(workspace.backward_rows, kLossRows)},
          {"breakpoints", workspace.breakpoints},
          {"stops", workspace.stops},
          {"watched", workspace.watched},
          {"ask", ask_look(workspace.asking)},
          {"inspector", inspector_look(workspace.inspector)},
          {"output_page", name_of_value(workspace.output_page, kOutputPages)},
          {"lab", workspace.lab},
          {"lab_values", lab_look(workspace)},
          {"cursor", at}};
}

void take_look(const Json& look, Workspace& workspace) {
  if (!look.is_object()) return;
  std::string view = workspace.view, second;
  session_look_read(look, "view", view);
  workspace.station.clear();
  session_look_read(look, "station", workspace.station);
  workspace.level = Level::full;  // of sessions from before there was another
  session_look_read(look, "level", workspace.level, kLevels);
  session_look_read(look, "second_view", second);
  if (has_view_row(view)) workspace.view = view;
  workspace.second_view = has_view_row(second) ? second : "";
  session_look_read(look, "difference", workspace.show_difference);
  if (const auto found = look.find("shows_pinned");
      found != look.end() && found->is_array() && found->size() == 2)
    for (std::size_t half = 0; half < 2; ++half)
      workspace.shows_pinned[half] = (*found)[half].is_boolean() && (*found)[half].get<bool>();
  session_look_read(look, "log_scale", workspace.log_scale);
  session_look_read(look, "modules", workspace.shows_modules);
  session_look_read(look, "backward", workspace.backward);
  session_look_read(look, "backward_target", workspace.backward_target);
  session_look_read(look, "backward_rows", workspace.backward_rows, kLossRows);
  take_ask_look(look, workspace.asking);
  take_labs(look, workspace);
  workspace.output_page = OutputPage::next;
  session_look_read(look, "output_page", workspace.output_page, kOutputPages);
  const auto take = [&](const char* key, std::vector<std::string>& into, auto parse) {
    into.clear();
    if (const auto found = look.find(key); found != look.end() && found->is_array())
      for (const Json& text : *found)
        if (text.is_string() && parse(text.get<std::string>())) into.push_back(text);
  };
  take("breakpoints", workspace.breakpoints, parse_site);
  take("stops", workspace.stops, parse_stop);
  take("watched", workspace.watched, parse_watch);
}

void take_cursor(const Json& look, const RunResult& run, Workspace& workspace) {
  const auto at = look.is_object() ? look.find("cursor") : look.end();
  if (!look.is_object() || at == look.end() || !at->is_object()) return;
  Cursor& cursor = workspace.cursor;
  std::string step, pinned;
  session_look_read(*at, "step", step);
  session_look_read(*at, "sequence", cursor.sequence);
  if (const auto site = parse_site(step); site && step_index(run.steps, *site) >= 0) {
    cursor.step = *site;
    cursor.stack = site->stack;
    if (site->layer >= 0 && cursor.layer != site->layer)  // the usual head and key are of another block
      cursor.layer = site->layer, cursor.head = 0, cursor.key = 0;
  }
  bool cross = false;
  session_look_read(*at, "cross", cross);
  cursor.part = cross ? Part::cross : Part::attn;
  session_look_read(*at, "layer", cursor.layer);
  session_look_read(*at, "head", cursor.head);
  session_look_read(*at, "query", cursor.query);
  session_look_read(*at, "key", cursor.key);
  session_look_read(*at, "pinned", pinned);
  cursor.pinned.reset();
  if (auto cell = parse_cell(pinned); cell && run.trace(cursor.sequence).find(cell->site))
    cursor.pinned = *cell;
  tidy_cursor(cursor, run);
  take_inspector(look, run.trace(cursor.sequence), workspace.inspector);
}

}  // namespace attnscope
