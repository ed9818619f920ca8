#include "core/lens/head_stats.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr std::int64_t kHeadStatsBand = 64;  // rows of the pattern that are in memory at a time

// Position of row 0; recordings begin at 0.
std::int64_t first_query_of(const Trace& trace, const Site& pattern) {
  const AttentionState* state = trace.attention(pattern);
  return state ? state->in.first_query : 0;
}

// The first key that is no padding.
std::int64_t first_key_of(const Trace& trace, const Site& pattern) {
  const Stack stack = pattern.part == Part::cross ? Stack::enc : pattern.stack;
  const std::int64_t keys = trace.find(pattern)->shape[2];
  std::int64_t key = 0;
  while (key + 1 < keys && !trace.is_real(stack, key)) ++key;
  return key;
}

RowStats with_first(RowStats stats, const Tensor& pattern_row, std::int64_t first_key) {
  if (!std::isnan(stats.first_share)) stats.first_share = static_cast<double>(pattern_row.at(first_key));
  return stats;
}

}  // namespace

Status check_pattern_row(const Trace& trace, const Site& pattern, std::int64_t head, std::int64_t query) {
  const Record* record = pattern.is(StepRole::pattern) ? trace.find(pattern) : nullptr;
  if (!record) {
    return fail(Code::not_found, "error.lens.no_pattern", {to_text(pattern)});
  }
  if (head < 0 || head >= record->shape[0] || query < 0 || query >= record->shape[1]) {
    return fail(Code::out_of_range, "error.lens.no_head",
                {to_text(pattern), shape_text(record->shape), head, query});
  }
  return Done{};
}

RowStats row_stats(const Tensor& pattern_row, const Tensor& mask_row, std::int64_t query) {
  RowStats stats;
  for (std::int64_t key = 0; key < pattern_row.size(0); ++key) {
    const double p = pattern_row.at(key);
    if (std::isnan(p)) stats.entropy = stats.distance = stats.first_share = p;
    if (mask_row.empty() ? p > 0 : mask_row.at(key) > 0) ++stats.in_sight;
    if (!(p > 0)) continue;
    stats.entropy -= p * std::log(p);
    stats.distance += p * static_cast<double>(std::llabs(query - key));
    if (key == 0) stats.first_share = p;
  }
  if (stats.entropy < 0) stats.entropy = 0;
  if (stats.in_sight > 0) stats.max_entropy = std::log(static_cast<double>(stats.in_sight));
  return stats;
}

Result<RowStats> row_stats(const Trace& trace, const Site& pattern, std::int64_t head, std::int64_t query) {
  TRY_OK(check_pattern_row(trace, pattern, head, query));
  const std::int64_t keys = trace.find(pattern)->shape[2];
  const Tensor row = trace.slice(pattern, head, {query, query + 1}, {0, keys});  // [1, key]
  const Tensor mask = trace.slice(pattern.near(StepRole::mask), 0, {query, query + 1}, {0, keys});
  const RowStats stats = row_stats(row.select(0, 0), mask.empty() ? Tensor() : mask.select(0, 0),
                                   first_query_of(trace, pattern) + query);
  return with_first(stats, row.select(0, 0), first_key_of(trace, pattern));
}

Result<RowStats> head_stats(const Trace& trace, const Site& pattern, std::int64_t head) {
  TRY_OK(check_pattern_row(trace, pattern, head, 0));
  const std::int64_t queries = trace.find(pattern)->shape[1], keys = trace.find(pattern)->shape[2];
  const std::int64_t first_query = first_query_of(trace, pattern), first_key = first_key_of(trace, pattern);
  RowStats mean;
  for (std::int64_t begin = 0; begin < queries; begin += kHeadStatsBand) {
    const Range rows{begin, std::min(begin + kHeadStatsBand, queries)};
    const Tensor band = trace.slice(pattern, head, rows, {0, keys});  // [rows, key]
    const Tensor masks = trace.slice(pattern.near(StepRole::mask), 0, rows, {0, keys});
    for (std::int64_t row = 0; row < rows.size(); ++row) {
      const RowStats one = row_stats(band.select(0, row), masks.empty() ? Tensor() : masks.select(0, row),
                                     first_query + begin + row);
      if (one.in_sight == 0 || !trace.is_real(pattern.stack, begin + row)) continue;
      ++mean.in_sight;
      mean.entropy += one.entropy;
      mean.max_entropy += one.max_entropy;
      mean.distance += one.distance;
      mean.first_share += with_first(one, band.select(0, row), first_key).first_share;
    }
  }
  const double rows = static_cast<double>(std::max<std::int64_t>(1, mean.in_sight));
  mean.entropy /= rows, mean.max_entropy /= rows, mean.distance /= rows, mean.first_share /= rows;
  return mean;
}

}  // namespace attnscope
