#include "app/state/cursor_anchor.h"

#include <algorithm>

#include "core/lens/alignment.h"

namespace attnscope {
namespace {

std::int64_t anchor_rows(const Trace& trace, Stack stack) {
  return stack == trace.config().stack ? trace.length : trace.rows(stack);
}

// Row of b that corresponds to row `at` of a; unmatched: the last row stays last, others keep their index.
std::int64_t anchored_row(const Trace& a, const Trace& b, Stack stack, std::int64_t at) {
  const std::int64_t last = std::max<std::int64_t>(0, anchor_rows(b, stack) - 1);
  const Alignment rows = align_rows(a, b, stack);
  if (rows.matches(at)) return std::min(rows.to_b[static_cast<std::size_t>(at)], last);
  return at == anchor_rows(a, stack) - 1 ? last : std::clamp<std::int64_t>(at, 0, last);
}

}  // namespace

void CursorAnchor::follow(Cursor& cursor, const std::shared_ptr<const RunResult>& run) {
  const bool same_model = shown_ && shown_->opened_version == run->opened_version;
  if (!same_model || !(cursor == settled_)) {  // the user moved the cursor during the run before
    chosen_ = cursor;
    chosen_in_ = same_model ? shown_ : run;
  }
  const bool news = shown_ != run;
  shown_ = run;
  if (!news || chosen_in_ == run || chosen_.sequence < 0) return;
  const auto index = static_cast<std::size_t>(chosen_.sequence);
  if (index >= chosen_in_->traces.size() || index >= run->traces.size()) return;
  const Trace &before = *chosen_in_->traces[index], &now = *run->traces[index];
  const Stack keys = chosen_.part == Part::cross ? Stack::enc : chosen_.stack;
  cursor = chosen_;
  cursor.query = anchored_row(before, now, chosen_.stack, chosen_.query);
  cursor.key = anchored_row(before, now, keys, chosen_.key);
}

}  // namespace attnscope
