#include "app/state/cursor.h"

#include <algorithm>
#include <vector>

#include "app/widgets/navigation.h"
#include "app/widgets/places.h"
#include "core/lens/attention_row.h"
#include "core/session/asked_measure.h"

namespace attnscope {
namespace {

bool pin_fits(const Cell& cell, const Trace& trace) {
  const Record* record = trace.find(cell.site);
  if (!record) return false;
  for (const AxisRange& at : cell.at) {
    std::int64_t size = 0;
    for (std::size_t d = 0; d < record->axes.size(); ++d)
      if (axis_name(record->axes[d]) == at.axis) size = record->shape[d];
    if (at.begin < 0 || at.begin >= size) return false;
  }
  return true;
}

// The step with the same slot in the same block, else the block's first step, else the first step of all.
Site nearest_step(const Site& site, const RunResult& run) {
  const auto first = [&](auto fits) {
    return std::find_if(run.steps.begin(), run.steps.end(),
                        [&](const TimelineStep& step) { return fits(step.main); });
  };
  const auto same = [&](const Site& at) {
    return at.layer == site.layer && at.slot == site.slot && at.stack == site.stack;
  };
  const auto anywhere = [&](const Site& at) { return at.layer == site.layer && at.slot == site.slot; };
  const auto block = [&](const Site& at) { return at.layer == site.layer && at.stack == site.stack; };
  for (const auto& found : {first(same), first(anywhere), first(block)})
    if (found != run.steps.end()) return found->main;
  return run.steps.empty() ? site : run.steps.front().main;
}

Site cursor_pattern(const Cursor& cursor) {
  return {cursor.stack, cursor.layer, cursor.part, slot_of(StepRole::pattern)};
}

// The head named by a trained model's card, the row it predicts from, and the key with the largest weight.
void point_at_head(Cursor& cursor, const RunResult& run, const ModelCard& card) {
  const Trace& trace = run.trace(0);
  cursor.stack = trace.config().stack;
  cursor.part = trace.config().encoder() ? Part::cross : Part::attn;
  cursor.layer = std::clamp(card.layer, 0, layer_count(cursor, run) - 1);
  cursor.head = std::clamp(card.head, 0, head_count(cursor, run) - 1);
  cursor.query = asked_row(*run.document.opened, trace);
  const Site pattern = cursor_pattern(cursor);
  if (!trace.find(pattern)) return;
  cursor.step = pattern;
  cursor.key = strongest_key(trace, pattern, cursor.head, cursor.query);
}

// A row that only queries: the mask hides its key from every query, including its own. -1: none.
std::int64_t asking_row(const Trace& trace) {
  constexpr std::int64_t kFew = 64;
  const Site mask = trace.main(StepRole::mask, 0);
  const std::int64_t rows = trace.length;
  if (!trace.find(mask) || rows > kFew) return -1;
  const Tensor seen = trace.slice(mask, 0, {0, rows}, {0, rows});
  if (seen.rank() != 2 || seen.size(0) != rows || seen.size(1) != rows) return -1;
  for (std::int64_t key = 0; key < rows; ++key) {
    bool any = false;
    for (std::int64_t query = 0; query < rows; ++query) any = any || seen.at(query, key) > 0;
    if (!any) return key;
  }
  return -1;
}

}  // namespace

int head_count(const Cursor& cursor, const RunResult& run) {
  return std::max(1, run.trace(cursor.sequence).config().attention_at(cursor_pattern(cursor)).n_heads);
}

int layer_count(const Cursor& cursor, const RunResult& run) {
  return std::max(1, run.trace(cursor.sequence).config().of(cursor.stack).n_layers());
}

void tidy_cursor(Cursor& cursor, const RunResult& run) {
  cursor.sequence = run.nearest(cursor.sequence);
  const Trace& trace = run.trace(cursor.sequence);
  if (trace.config().of(cursor.stack).stack != cursor.stack) cursor.stack = trace.config().stack;
  cursor.layer = std::clamp(cursor.layer, 0, layer_count(cursor, run) - 1);
  if (!trace.config().of(cursor.stack).blocks[static_cast<std::size_t>(cursor.layer)].cross)
    cursor.part = Part::attn;
  cursor.head = std::clamp(cursor.head, 0, head_count(cursor, run) - 1);
  const auto last_row = [&](Stack stack) {
    const bool main = stack == trace.config().stack;
    return std::max<std::int64_t>(0, (main ? trace.length : trace.rows(stack)) - 1);
  };
  if (!trace.find(cursor.step)) cursor.step = nearest_step(cursor.step, run);
  cursor.query = std::clamp<std::int64_t>(cursor.query, 0, last_row(cursor.stack));
  cursor.key = std::clamp<std::int64_t>(cursor.key, 0,
                                        last_row(cursor.part == Part::cross ? Stack::enc : cursor.stack));
  if (cursor.pinned && !pin_fits(*cursor.pinned, trace)) cursor.pinned.reset();
}

Cursor first_cursor(const RunResult& run) {
  Cursor cursor;
  const Trace& trace = run.trace(0);
  cursor.stack = trace.config().stack;
  if (!run.steps.empty()) cursor.step = run.steps.front().main, cursor.stack = cursor.step.stack;
  const auto& opened = run.document.opened;
  cursor.query = cursor.stack != trace.config().stack
                     ? std::max<std::int64_t>(0, trace.rows(cursor.stack) - 1)
                     : (opened ? asked_row(*opened, trace) : prediction_row(trace));
  if (const std::int64_t row = opened && opened->scene ? asking_row(trace) : -1; row >= 0) {
    cursor.query = row;
    cursor.key = strongest_key(trace, trace.main(StepRole::pattern, 0), 0, row);
  }
  if (opened && opened->card && opened->card->head >= 0) point_at_head(cursor, run, *opened->card);
  return cursor;
}

bool walk(Workspace& workspace, const RunResult& run, int by) {
  const int next = current_step(workspace, run) + by;
  if (next < 0 || next >= static_cast<int>(run.steps.size())) return false;
  go_to_step(workspace, run, next);
  return true;
}

void move_layer(Cursor& cursor, const RunResult& run, int by) {
  const ModelConfig& config = run.trace(cursor.sequence).config();
  struct Floor {
    Stack stack;
    int layer;
  };
  std::vector<Floor> floors;  // every block of every stack, in order of execution
  for (const Stack stack : {Stack::enc, Stack::vision, config.stack}) {
    if (config.of(stack).stack != stack) continue;
    for (int layer = 0; layer < config.of(stack).n_layers(); ++layer) floors.push_back({stack, layer});
  }
  const auto here = std::find_if(floors.begin(), floors.end(), [&](const Floor& floor) {
    return floor.stack == cursor.stack && floor.layer == cursor.layer;
  });
  if (here == floors.end()) return;
  const auto at = std::clamp<std::ptrdiff_t>(here - floors.begin() + by, 0,
                                             static_cast<std::ptrdiff_t>(floors.size()) - 1);
  const Floor& next = floors[static_cast<std::size_t>(at)];
  cursor.stack = next.stack, cursor.layer = next.layer;
  if (cursor.step.layer >= 0) {
    cursor.step.stack = next.stack;
    cursor.step.layer = next.layer;
    // encoders have self-attention only
    if (cursor.step.part == Part::cross && !config.block_at(cursor.step).cross) cursor.step.part = Part::attn;
  }
  tidy_cursor(cursor, run);
}

void move_head(Cursor& cursor, const RunResult& run, int by) {
  cursor.head = std::clamp(cursor.head + by, 0, head_count(cursor, run) - 1);
}

}  // namespace attnscope
