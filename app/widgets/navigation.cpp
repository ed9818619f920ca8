// The cursor's fields follow axis names: "query" and "key" are token positions, "pos" sets the key where a
// step belongs to keys or values.
#include "app/widgets/navigation.h"

#include <algorithm>

#include "app/look/theme.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

// Grouped-query attention: K/V head 1 of two corresponds to query heads 2 and 3 of four.
void follow_head(Cursor& cursor, const Trace& trace, const Site& site, std::int64_t own) {
  if (trace.own_head(site, cursor.head) == own) return;
  const int heads = site.layer >= 0 ? trace.config().attention_at(site).n_heads : 1;
  for (int head = 0; head < heads; ++head) {
    if (trace.own_head(site, head) != own) continue;
    cursor.head = head;
    return;
  }
}

// Sets step, block, stack and attention of the cursor.
void stand_on(Cursor& cursor, const Site& site) {
  cursor.step = site;
  cursor.stack = site.stack;
  if (site.layer < 0) return;
  cursor.layer = site.layer;
  if (site.part == Part::attn || site.part == Part::cross) cursor.part = site.part;
}

bool of_keys(Hue hue) { return hue == Hue::key || hue == Hue::value; }

void follow_coordinate(Cursor& cursor, const Trace& trace, const Site& site, const AxisRange& coordinate) {
  const Hue hue = step_of(site.slot).hue;
  if (coordinate.axis == "head") follow_head(cursor, trace, site, coordinate.begin);
  if (coordinate.axis == "query") cursor.query = coordinate.begin;
  if (coordinate.axis == "key") cursor.key = coordinate.begin;
  if (coordinate.axis == "pos") (of_keys(hue) ? cursor.key : cursor.query) = coordinate.begin;
}

}  // namespace

int current_step(const Workspace& workspace, const RunResult& run) {
  if (run.steps.empty()) return -1;
  return std::max(0, step_index(run.steps, workspace.cursor.step));
}

void go_to_step(Workspace& workspace, const RunResult& run, int index) {
  if (run.steps.empty()) return;
  const int last = static_cast<int>(run.steps.size()) - 1;
  const TimelineStep& step = run.steps[static_cast<std::size_t>(std::clamp(index, 0, last))];
  stand_on(workspace.cursor, step.main);
}

void go_to_site(Workspace& workspace, const RunResult& run, const Site& site) {
  if (run.traces.empty() || !run.trace(workspace.cursor.sequence).find(site)) return;
  stand_on(workspace.cursor, site);
}

void pin_cell(Workspace& workspace, const RunResult& run, const Cell& cell) {
  Cursor& cursor = workspace.cursor;
  cursor.pinned = cell;
  if (run.traces.empty()) return;
  const Trace& trace = run.trace(cursor.sequence);
  if (!trace.find(cell.site)) return;
  go_to_site(workspace, run, cell.site);
  for (const AxisRange& coordinate : cell.at) follow_coordinate(cursor, trace, cell.site, coordinate);
}

std::vector<std::int64_t> cell_index(const Trace& trace, const Cell& cell) {
  const Record* record = trace.find(cell.site);
  if (!record) return {};
  std::vector<std::int64_t> index;
  for (const Axis axis : record->axes) {
    const auto at = std::find_if(cell.at.begin(), cell.at.end(), [&](const AxisRange& coordinate) {
      return coordinate.axis == axis_name(axis);
    });
    if (at == cell.at.end() || !at->indices().one()) return {};
    index.push_back(at->begin);
  }
  return index;
}

Cell cell_at(const Trace& trace, const Site& site, const std::vector<std::int64_t>& index) {
  Cell cell{site, {}};
  const Record* record = trace.find(site);
  if (!record) return cell;
  for (std::size_t d = 0; d < std::min(index.size(), record->axes.size()); ++d)
    cell.at.push_back({std::string(axis_name(record->axes[d])), index[d]});
  return cell;
}

ImU32 hue_colour(Hue hue) {
  const Theme& t = theme();
  switch (hue) {
    case Hue::query: return t.q;
    case Hue::key: return t.k;
    case Hue::value: return t.v;
    case Hue::attention: return t.attention;
    case Hue::mlp: return t.mlp;
    case Hue::norm: return t.norm;
    case Hue::embed:
    case Hue::residual:
    case Hue::output:
    case Hue::logits: return t.residual;
  }
  return t.norm;
}

}  // namespace attnscope
