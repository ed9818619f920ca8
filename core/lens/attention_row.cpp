#include "core/lens/attention_row.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "core/lens/head_stats.h"

namespace attnscope {
namespace {

constexpr double kAttentionRowMinusInfinity = -std::numeric_limits<double>::infinity();

Tensor row_at(const Trace& trace, Site site, StepKind kind, std::int64_t head, std::int64_t query) {
  site.slot = slot_of(kind);
  const Tensor row =
      trace.slice(site, head, {query, query + 1}, {0, std::numeric_limits<std::int64_t>::max()});
  return row.empty() || row.count() == 0 ? Tensor() : row.select(0, 0);
}

// Exponentials, their sum, and whether the pattern that stands there follows from them.
void finish(AttentionRow& row, const Tensor& entering) {
  row.maximum = row.sink.value_or(kAttentionRowMinusInfinity);
  for (std::size_t key = 0; key < row.terms.size(); ++key)
    row.maximum = std::fmax(row.maximum, static_cast<double>(entering.at(static_cast<std::int64_t>(key))));
  if (row.sink) row.sum = std::exp(*row.sink - row.maximum);
  for (std::size_t key = 0; key < row.terms.size(); ++key) {
    const double x = static_cast<double>(entering.at(static_cast<std::int64_t>(key)));
    row.terms[key].exponential = std::isinf(x) ? 0.0 : std::exp(x - row.maximum);
    row.sum += row.terms[key].exponential;
  }
  for (const AttentionTerm& term : row.terms) {
    const double expected = row.sum > 0 ? term.exponential / row.sum : 0.0;
    row.edited = row.edited || std::fabs(expected - term.weight) > 1e-3;
  }
}

}  // namespace

Result<AttentionRow> attention_row(const Trace& trace, const Site& pattern, std::int64_t head,
                                   std::int64_t query) {
  TRY_OK(check_pattern_row(trace, pattern, head, query));
  const AttentionState* state = trace.attention(pattern);
  if (!state) {
    return fail(Code::unsupported, "error.lens.no_queries", {to_text(pattern)});
  }
  AttentionRow row;
  row.mask_first = state->in.mask_before_scale;
  row.scale = static_cast<double>(state->in.scale);
  const double root = row.scale > 0 ? std::round(1 / (row.scale * row.scale)) : 0;
  if (root > 1 && std::fabs(row.scale * std::sqrt(root) - 1) < 1e-6)
    row.root_of = static_cast<std::int64_t>(root);
  const Tensor scores = row_at(trace, pattern, StepKind::scores, head, query);
  const Tensor scaled = row_at(trace, pattern, StepKind::scale, head, query);
  const Tensor capped = row_at(trace, pattern, StepKind::cap, head, query);  // empty without a cap
  const Tensor masked = row_at(trace, pattern, StepKind::mask, head, query);
  const Tensor weights = row_at(trace, pattern, StepKind::softmax, head, query);
  const std::int64_t absolute = state->in.first_query + query;
  row.cap = static_cast<double>(state->in.cap);
  if (!state->in.sinks.empty()) row.sink = static_cast<double>(state->in.sinks.at(head, query, 0));
  row.biased = state->in.bias.kind != ScoreBias::Kind::none;
  for (std::int64_t key = 0; key < weights.size(0); ++key) {
    const Tensor& bent = capped.empty() ? scaled : capped;
    row.terms.push_back({static_cast<double>(scores.at(key)), static_cast<double>(scaled.at(key)),
                         static_cast<double>(bent.at(key)),
                         static_cast<double>(state->in.bias.at(head, absolute, key)),
                         state->in.mask.allowed(absolute, key), 0, static_cast<double>(weights.at(key))});
  }
  finish(row, row.mask_first ? scaled : masked);
  return row;
}

std::int64_t strongest_key(const Trace& trace, const Site& pattern, std::int64_t head, std::int64_t query) {
  const auto row = attention_row(trace, pattern, head, query);
  if (!row) return 0;
  const auto lighter = [](const AttentionTerm& a, const AttentionTerm& b) { return a.weight < b.weight; };
  const auto best = std::max_element(row->terms.begin(), row->terms.end(), lighter);
  return best - row->terms.begin();
}

}  // namespace attnscope
