#include "core/trace/head_edits.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace attnscope {
namespace {

using Stages = std::array<Tensor, 4>;  // scores, scaled, masked, pattern: [query, key] each

constexpr Slot kStages[] = {Slot::scores, Slot::scaled, Slot::masked, Slot::pattern};

bool names_head(const Intervention& change, std::int64_t head) {
  for (const Coordinate& c : change.where.at)
    if (c.axis == axis_name(Axis::head)) return c.index == head;
  return true;
}

// The changes of one head at one stage, without their head coordinate.
class HeadChanges {
 public:
  HeadChanges(const std::vector<Intervention>& changes, Site site, std::int64_t head) {
    for (std::size_t stage = 0; stage < 4; ++stage) {
      site.slot = kStages[stage];
      for (Intervention change : changes) {
        if (!change.enabled || change.where.site != site || !names_head(change, head)) continue;
        std::erase_if(change.where.at, [](const Coordinate& c) { return c.axis == axis_name(Axis::head); });
        by_stage_[stage].push_back(std::move(change));
      }
    }
  }
  bool any() const {
    return std::any_of(by_stage_.begin(), by_stage_.end(), [](const auto& list) { return !list.empty(); });
  }
  Tensor on(ScoreStage stage, Tensor plane) const {
    for (const Intervention& change : by_stage_[static_cast<std::size_t>(stage)])
      plane = apply(change, plane);
    return plane;
  }

 private:
  std::array<std::vector<Intervention>, 4> by_stage_;
};

// Rows of `fresh` where the step before was changed, rows of `old` elsewhere; all are [row, col].
Tensor changed_rows(const Tensor& before_old, const Tensor& before_new, const Tensor& old,
                    const Tensor& fresh) {
  const Tensor a = before_old.packed(), b = before_new.packed();
  const std::size_t bytes = static_cast<std::size_t>(a.size(1)) * sizeof(float);
  Buffer out({{old.axis(0), old.size(0)}, {old.axis(1), old.size(1)}});
  for (std::int64_t row = 0; row < old.size(0); ++row) {
    const bool same = std::memcmp(a.data() + row * a.size(1), b.data() + row * a.size(1), bytes) == 0;
    for (std::int64_t col = 0; col < old.size(1); ++col)
      out.data()[row * old.size(1) + col] = (same ? old : fresh).at(row, col);
  }
  return std::move(out).freeze();
}

Tensor hide_masked(const AttentionInputs& in, const Tensor& x) {  // [query, key]
  Buffer out({{Axis::query, x.size(0)}, {Axis::key, x.size(1)}});
  float* to = out.data();
  for (std::int64_t query = 0; query < x.size(0); ++query)
    for (std::int64_t key = 0; key < x.size(1); ++key)
      *to++ = in.mask.allowed(in.first_query + query, key) ? x.at(query, key)
                                                           : -std::numeric_limits<float>::infinity();
  return std::move(out).freeze();
}

Stages plain_stages(const AttentionState& state, std::int64_t head) {
  Stages out;
  const std::int64_t queries = state.in.q.size(1), keys = state.in.k.size(1);
  for (std::size_t stage = 0; stage < 4; ++stage)
    out[stage] =
        attention_rectangle(state.in, state.lse, static_cast<ScoreStage>(stage), head, 0, queries, 0, keys);
  return out;
}

Stages edited_stages(const AttentionInputs& in, const Stages& plain, const HeadChanges& changes) {
  const auto next = [&](std::size_t from, std::size_t to, const Tensor& now, const Tensor& fresh) {
    return changes.on(static_cast<ScoreStage>(to), changed_rows(plain[from], now, plain[to], fresh));
  };
  Stages out;
  out[0] = changes.on(ScoreStage::scores, plain[0]);
  if (in.mask_before_scale) {
    out[2] = next(0, 2, out[0], hide_masked(in, out[0]));
    out[1] = next(2, 1, out[2], scale(out[2], in.scale));
    out[3] = next(1, 3, out[1], softmax_rows(out[1]));
  } else {
    out[1] = next(0, 1, out[0], scale(out[0], in.scale));
    out[2] = next(1, 2, out[1], hide_masked(in, out[1]));
    out[3] = next(2, 3, out[2], softmax_rows(out[2]));
  }
  return out;
}

}  // namespace

void edit_heads(const std::vector<Intervention>& changes, const Site& any_site, AttentionState& state,
                AttentionResult& result) {
  const AttentionInputs& in = state.in;
  const std::int64_t heads = in.q.size(0), queries = in.q.size(1), d_head = in.v.size(2);
  std::vector<Tensor> rows;  // per head: [query, d_head]
  for (std::int64_t head = 0; head < heads; ++head) {
    rows.push_back(result.z.select(0, head));
    const HeadChanges own(changes, any_site, head);
    if (!own.any()) continue;
    const Stages plain = plain_stages(state, head);
    const Stages edited = edited_stages(in, plain, own);
    const Tensor fresh = weighted_sum(edited[3], in.v.select(0, head * in.v.size(0) / heads));
    rows.back() = changed_rows(plain[3], edited[3], rows.back(), fresh);
    state.stored[head] = edited;
  }
  if (state.stored.empty()) return;
  Buffer z({{Axis::query, queries}, {Axis::head, heads}, {Axis::d_head, d_head}});
  for (std::int64_t query = 0; query < queries; ++query)
    for (std::int64_t head = 0; head < heads; ++head)
      for (std::int64_t i = 0; i < d_head; ++i)
        z.data()[(query * heads + head) * d_head + i] = rows[static_cast<std::size_t>(head)].at(query, i);
  result.z = std::move(z).freeze().permute({1, 0, 2});  // [head, query, d_head]
}

}  // namespace attnscope
