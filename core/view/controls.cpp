#include "core/view/controls.h"

#include <algorithm>

#include "core/sample/sampler.h"

namespace attnscope {
namespace {

constexpr double kMostBack = 1 << 20;  // positions from a query back to its key

using ControlKind = decltype(LabControl::kind);

/// One control of all views: who has it, what it may be in a run, and where its value goes.
struct ControlRow {
  const char* key;
  Level level;
  bool (*of)(const ViewSpec& view);
  ControlKind (*kind)(const ViewState& state);
  void (*put)(ViewState& state, double value, const std::string& words);
};

LabNumber index_below(std::int64_t count, std::int64_t initial) {
  return {0, static_cast<double>(std::max<std::int64_t>(count - 1, 0)), static_cast<double>(initial), true};
}

std::int64_t heads_shown(const ViewState& state) {
  const Site pattern = state.place.pattern(state.layer);
  const Record* record = state.run->find(pattern);
  if (record && !record->shape.empty()) return record->shape[0];
  return attention_places(*state.run).empty() ? 1 : state.run->config().attention_at(pattern).n_heads;
}

bool takes(const ViewSpec& view, std::string_view id) {
  return std::find(view.takes.begin(), view.takes.end(), id) != view.takes.end();
}

// In the order in which they are listed: the heads that there are follow from the block.
const ControlRow kControlRows[] = {
    {"cli.figure.layer", Level::easy, [](const ViewSpec& view) { return view.heads || view.block; },
     [](const ViewState& state) -> ControlKind {
       return index_below(state.run->config().of(state.place.stack).n_layers(), state.layer);
     },
     [](ViewState& state, double value, const std::string&) { state.layer = static_cast<int>(value); }},
    {"cli.figure.head", Level::easy, [](const ViewSpec& view) { return view.heads; },
     [](const ViewState& state) -> ControlKind { return index_below(heads_shown(state), state.head); },
     [](ViewState& state, double value, const std::string&) {
       state.head = static_cast<std::int64_t>(value);
     }},
    {"cli.figure.row", Level::easy, [](const ViewSpec& view) { return view.model && view.row; },
     [](const ViewState& state) -> ControlKind {
       return index_below(state.run->rows(state.place.stack), state.row);
     },
     [](ViewState& state, double value, const std::string&) {
       state.row = static_cast<std::int64_t>(value);
     }},
    {"cli.figure.temperature", Level::easy, [](const ViewSpec& view) { return takes(view, "temperature"); },
     [](const ViewState& state) -> ControlKind {
       return LabNumber{0, kMostTemperature, state.temperature};
     },
     [](ViewState& state, double value, const std::string&) { state.temperature = value; }},
    {"cli.figure.words", Level::full, [](const ViewSpec& view) { return takes(view, "words"); },
     [](const ViewState& state) -> ControlKind { return LabWords{state.words}; },
     [](ViewState& state, double, const std::string& words) { state.words = words; }},
    {"cli.figure.distance", Level::full, [](const ViewSpec& view) { return takes(view, "distance"); },
     [](const ViewState& state) -> ControlKind {
       return LabNumber{0, kMostBack, static_cast<double>(std::max<std::int64_t>(state.distance, 1)), true};
     },
     [](ViewState& state, double value, const std::string&) {
       state.distance = static_cast<std::int64_t>(value);
     }},
};

}  // namespace

std::vector<ViewControl> view_controls(const ViewSpec& view, const ViewState& state) {
  std::vector<ViewControl> out;
  for (const ControlRow& row : kControlRows)
    if (row.of(view)) out.push_back({{row.key, row.kind(state)}, row.level});
  return out;
}

Status set_control(const ViewSpec& view, ViewState& state, std::string_view assignment) {
  std::vector<LabControl> controls;
  for (ViewControl& one : view_controls(view, state)) controls.push_back(std::move(one.control));
  LabValues values;
  TRY_OK(set_value(controls, values, assignment));
  for (const ControlRow& row : kControlRows)
    for (const auto& [id, value] : values.all())
      if (LabControl{row.key, {}}.id() == id) row.put(state, value, values.words(id));
  return Done{};
}

}  // namespace attnscope
