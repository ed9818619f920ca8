#include "core/trace/head_edits.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace attnscope {
namespace {

using Stages = std::array<Tensor, kScoreStages>;  // one per ScoreStage: [query, key] each

constexpr Slot kStages[] = {Slot::scores, Slot::scaled, Slot::capped,
                            Slot::biased, Slot::masked, Slot::pattern};

bool names_head(const Intervention& change, std::int64_t head) {
  for (const Coordinate& c : change.where.at)
    if (c.axis == axis_name(Axis::head)) return c.index == head;
  return true;
}

// The changes of one head at one stage, without their head coordinate.
class HeadChanges {
 public:
  HeadChanges(const std::vector<Intervention>& changes, Site site, std::int64_t head) {
    for (std::size_t stage = 0; stage < kScoreStages; ++stage) {
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
  std::array<std::vector<Intervention>, kScoreStages> by_stage_;
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
  for (std::size_t stage = 0; stage < kScoreStages; ++stage)
    out[stage] =
        attention_rectangle(state.in, state.lse, static_cast<ScoreStage>(stage), head, 0, queries, 0, keys);
  return out;
}

Tensor add_bias(const AttentionInputs& in, std::int64_t head, const Tensor& x) {  // [query, key]
  Buffer out({{Axis::query, x.size(0)}, {Axis::key, x.size(1)}});
  float* to = out.data();
  for (std::int64_t query = 0; query < x.size(0); ++query)
    for (std::int64_t key = 0; key < x.size(1); ++key)
      *to++ = x.at(query, key) + in.bias.at(head, in.first_query + query, key);
  return std::move(out).freeze();
}

// What stage `to` makes of the stage before it.
Tensor computed(const AttentionInputs& in, std::int64_t head, ScoreStage to, const Tensor& before) {
  switch (to) {
    case ScoreStage::scaled: return scale(before, in.scale);
    case ScoreStage::capped: return in.cap > 0.f ? soft_cap(before, in.cap) : before;
    case ScoreStage::biased:
      return in.bias.kind == ScoreBias::Kind::none ? before : add_bias(in, head, before);
    case ScoreStage::masked: return hide_masked(in, before);
    case ScoreStage::pattern: return softmax_rows(before);
    case ScoreStage::scores: break;
  }
  return before;
}

Stages edited_stages(const AttentionInputs& in, std::int64_t head, const Stages& plain,
                     const HeadChanges& changes) {
  using enum ScoreStage;
  const std::vector<ScoreStage> order = in.mask_before_scale
                                            ? std::vector{masked, scaled, pattern}
                                            : std::vector{scaled, capped, biased, masked, pattern};
  Stages out = plain;
  auto from = static_cast<std::size_t>(scores);
  out[from] = changes.on(scores, plain[from]);
  for (const ScoreStage stage : order) {
    const auto to = static_cast<std::size_t>(stage);
    out[to] = changes.on(
        stage, changed_rows(plain[from], out[from], plain[to], computed(in, head, stage, out[from])));
    from = to;
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
    const Stages edited = edited_stages(in, head, plain, own);
    const Tensor fresh = weighted_sum(edited.back(), in.v.select(0, head * in.v.size(0) / heads));
    rows.back() = changed_rows(plain.back(), edited.back(), rows.back(), fresh);
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
