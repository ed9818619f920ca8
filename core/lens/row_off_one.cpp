#include "core/lens/row_off_one.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/trace/edit.h"

namespace attnscope {
namespace {

constexpr double kOffOne = 1e-3;

/// Heads and rows of a step that one edit may bring off their sum.
struct Touched {
  Range heads, rows;
};

Range clamped_range(const AxisRange* asked, std::int64_t size) {
  if (!asked) return {0, size};
  return {std::clamp<std::int64_t>(asked->begin, 0, size), std::clamp<std::int64_t>(asked->end, 0, size)};
}

// Empty ranges where the edit leaves the step alone.
Touched touched_by(const Edit& edit, const Site& site, std::int64_t heads, std::int64_t rows) {
  const NumberEdit* number = edit.number();
  if (!number || number->where.kind != Target::Kind::step) return {};
  Site where = number->where.site;
  if (where.layer < 0) where.layer = site.layer;  // of every block
  if (where != site) return {};
  const AxisRange* asked = range_on(number->where, Axis::query);
  return {clamped_range(range_on(number->where, Axis::head), heads),
          clamped_range(asked ? asked : range_on(number->where, Axis::pos), rows)};
}

double sum_of_row(const Trace& trace, const Site& site, std::int64_t head, std::int64_t row) {
  const Tensor cells = trace.slice(site, head, {row, row + 1}, {0, trace.find(site)->shape.back()});
  double sum = 0;
  for (const float cell : cells.values()) sum += static_cast<double>(cell);
  return sum;
}

bool all_masked(const Trace& trace, const Site& site, std::int64_t head, std::int64_t row) {
  Site mask = site;
  mask = mask.near(StepRole::mask);
  return trace.find(mask) && sum_of_row(trace, mask, head, row) == 0;
}

}  // namespace

std::optional<RowOffOne> row_off_one(const Trace& trace, const Site& site, std::int64_t head) {
  const Record* record = trace.find(site);
  if (!record || trace.edits.empty() || !site.is(StepRole::pattern)) return {};
  if (trace.find(site.near(StepRole::sinks))) return {};
  const std::int64_t heads = record->shape[0], rows = record->shape[1];
  for (const auto& edit : trace.edits) {
    const Touched touched = touched_by(*edit, site, heads, rows);
    const std::int64_t end = std::min(touched.rows.end, touched.rows.begin + kMostRowsOff);
    for (std::int64_t of = touched.heads.begin; of < touched.heads.end; ++of)
      for (std::int64_t row = touched.rows.begin; row < end && (head < 0 || head == of); ++row) {
        const double sum = sum_of_row(trace, site, of, row);
        if (std::fabs(sum - 1) > kOffOne && !(sum == 0 && all_masked(trace, site, of, row)))
          return RowOffOne{of, row, sum};
      }
  }
  return {};
}

std::optional<RowSums> row_sums_with_sinks(const Trace& trace, const Site& site, std::int64_t head) {
  const AttentionState* state = site.is(StepRole::pattern) ? trace.attention(site) : nullptr;
  if (!state || state->in.sinks.empty()) return {};
  const std::int64_t heads = state->in.q.size(0), rows = state->in.q.size(1);
  RowSums out{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (std::int64_t of = std::max<std::int64_t>(head, 0); of < (head < 0 ? heads : head + 1); ++of)
    for (std::int64_t row = 0; row < rows; ++row) {
      const bool edited = state->edits && state->edits->covers(of, row);
      const float beyond = state->in.sinks.at(of, row, 0) - state->lse.at(of, row);
      const double sum =
          edited ? sum_of_row(trace, site, of, row) : 1 - std::exp(static_cast<double>(beyond));
      out = {std::min(out.least, sum), std::max(out.most, sum)};
    }
  return out;
}

}  // namespace attnscope
