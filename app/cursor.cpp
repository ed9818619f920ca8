#include "app/cursor.h"

#include <algorithm>

#include "app/widgets/navigation.h"

namespace attnscope {
namespace {

bool pin_fits(const Cell& cell, const Trace& trace) {
  const Record* record = trace.find(cell.site);
  if (!record) return false;
  for (const Coordinate& at : cell.at) {
    std::int64_t size = 0;
    for (std::size_t d = 0; d < record->axes.size(); ++d)
      if (axis_name(record->axes[d]) == at.axis) size = record->shape[d];
    if (at.index < 0 || at.index >= size) return false;
  }
  return true;
}

// The step of the same kind in the same block, else the beginning.
Site nearest_step(const Site& site, const RunResult& run) {
  for (const TimelineStep& step : run.steps)
    if (step.layer == site.layer && step.main.slot == site.slot) return step.main;
  return run.steps.empty() ? site : run.steps.front().main;
}

}  // namespace

int head_count(const Cursor& cursor, const RunResult& run) {
  const auto& blocks = run.document.model->config().blocks;
  if (blocks.empty()) return 1;
  const auto layer =
      std::clamp<std::size_t>(static_cast<std::size_t>(std::max(cursor.layer, 0)), 0, blocks.size() - 1);
  return std::max(1, blocks[layer].attention.n_heads);
}

void tidy_cursor(Cursor& cursor, const RunResult& run) {
  cursor.sequence = std::clamp(cursor.sequence, 0, std::max(0, static_cast<int>(run.traces.size()) - 1));
  cursor.layer = std::clamp(cursor.layer, 0, std::max(0, run.document.model->config().n_layers() - 1));
  cursor.head = std::clamp(cursor.head, 0, head_count(cursor, run) - 1);
  const Trace& trace = run.trace(cursor.sequence);
  const std::int64_t last = std::max<std::int64_t>(0, trace.length - 1);
  cursor.query = std::clamp<std::int64_t>(cursor.query, 0, last);
  cursor.key = std::clamp<std::int64_t>(cursor.key, 0, last);
  if (!trace.find(cursor.step)) cursor.step = nearest_step(cursor.step, run);
  if (cursor.pinned && !pin_fits(*cursor.pinned, trace)) cursor.pinned.reset();
}

Cursor first_cursor(const RunResult& run) {
  Cursor cursor;
  if (!run.steps.empty()) cursor.step = run.steps.front().main;
  cursor.query = std::max<std::int64_t>(0, run.trace(0).length - 1);
  return cursor;
}

bool walk(Workspace& workspace, const RunResult& run, int by) {
  const int next = current_step(workspace, run) + by;
  if (next < 0 || next >= static_cast<int>(run.steps.size())) return false;
  go_to_step(workspace, run, next);
  return true;
}

void move_layer(Cursor& cursor, const RunResult& run, int by) {
  cursor.layer = std::clamp(cursor.layer + by, 0, std::max(0, run.document.model->config().n_layers() - 1));
  if (cursor.step.layer >= 0) cursor.step.layer = cursor.layer;
  tidy_cursor(cursor, run);
}

void move_head(Cursor& cursor, const RunResult& run, int by) {
  cursor.head = std::clamp(cursor.head + by, 0, head_count(cursor, run) - 1);
}

}  // namespace attnscope
