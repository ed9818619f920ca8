#include "core/lens/outer_products.h"

#include <algorithm>
#include <cmath>

#include "core/lens/head_stats.h"
#include "core/trace/inside.h"

namespace attnscope {
namespace {

Tensor feature_of(const Tensor& rows, Range range, std::int64_t feature, Axis axis) {
  Buffer out({{axis, range.size()}});
  for (std::int64_t i = 0; i < range.size(); ++i) out.data()[i] = rows.at(range.begin + i, feature);
  return std::move(out).freeze();
}

}  // namespace

Result<OuterStep> outer_step(const Trace& trace, const Site& pattern, std::int64_t head, std::int64_t feature,
                             Range queries, Range keys) {
  TRY_OK(check_pattern_row(trace, pattern, head, 0));
  const AttentionState* state = trace.attention(pattern);
  if (!state || state->in.q.empty() || state->in.k.empty())
    return fail(Code::unsupported, "error.lens.no_queries", {to_text(pattern)});
  const Tensor q = state->in.q.select(0, head),
               k = state->in.k.select(0, head * state->in.k.size(0) / state->in.q.size(0));
  queries = cut_to(queries, q.size(0)), keys = cut_to(keys, k.size(0));
  OuterStep out;
  out.width = q.size(1);
  feature = std::clamp<std::int64_t>(feature, 0, out.width - 1);
  out.q = feature_of(q, queries, feature, Axis::query);
  out.k = feature_of(k, keys, feature, Axis::key);
  const Site site = pattern.near(StepRole::scores);
  const Tensor scores = trace.slice(site, head, queries, keys);
  Buffer product({{Axis::query, queries.size()}, {Axis::key, keys.size()}});
  Buffer sum({{Axis::query, queries.size()}, {Axis::key, keys.size()}});
  for (std::int64_t i = 0; i < queries.size(); ++i)
    for (std::int64_t j = 0; j < keys.size(); ++j) {
      double so_far = 0;
      for (std::int64_t f = 0; f <= feature; ++f)
        so_far +=
            static_cast<double>(q.at(queries.begin + i, f)) * static_cast<double>(k.at(keys.begin + j, f));
      const std::int64_t at = i * keys.size() + j;
      product.data()[at] = out.q.at(i) * out.k.at(j);
      sum.data()[at] = static_cast<float>(so_far);
      if (!scores.empty())
        out.left = std::fmax(out.left, std::fabs(so_far - static_cast<double>(scores.at(i, j))));
    }
  out.product = std::move(product).freeze();
  out.sum = std::move(sum).freeze();
  return out;
}

}  // namespace attnscope
