#include "core/model/stage_backward.h"

#include <cmath>

namespace attnscope {
namespace {

using Row = std::vector<double>;

Tensor as_tensor(const Row& row) {
  std::vector<float> out(row.begin(), row.end());
  const auto keys = static_cast<std::int64_t>(out.size());
  return Tensor::from(std::move(out), {{Axis::key, keys}});
}

double weighted_mean(const Tensor& pattern, const Row& dy) {
  double sum = 0;
  for (std::size_t key = 0; key < dy.size(); ++key)
    sum += static_cast<double>(pattern.at(0, static_cast<std::int64_t>(key))) * dy[key];
  return sum;
}

// Through a softmax: p (dp - sum p dp).
void through_softmax(const Tensor& pattern, Row& dy) {
  const double sum = weighted_mean(pattern, dy);
  for (std::size_t key = 0; key < dy.size(); ++key)
    dy[key] = static_cast<double>(pattern.at(0, static_cast<std::int64_t>(key))) * (dy[key] - sum);
}

// Gradients [head, row, d] that are added to.
class Sum {
 public:
  explicit Sum(const Tensor& first)
      : values_(first.values()), sizes_(first.sizes()), axes_{first.axis(0), first.axis(1), first.axis(2)} {}
  float& at(std::int64_t i, std::int64_t j, std::int64_t k) {
    return values_[static_cast<std::size_t>((i * sizes_[1] + j) * sizes_[2] + k)];
  }
  Tensor freeze() && {
    return Tensor::from(std::move(values_),
                        {{axes_[0], sizes_[0]}, {axes_[1], sizes_[1]}, {axes_[2], sizes_[2]}});
  }

 private:
  std::vector<float> values_;
  std::vector<std::int64_t> sizes_;
  std::array<Axis, 3> axes_;
};

// The way of one row back through the stages of one head.
class RowBack {
 public:
  RowBack(const AttentionState& state, std::int64_t head, std::int64_t row, const StageEdits::Sent& sent)
      : in_(state.in), lse_(state.lse), edits_(*state.edits), sent_(sent), head_(head), row_(row) {}

  // Gradients of the pattern.
  Row begin(const Tensor& dz) const {
    const std::int64_t keys = in_.k.size(1), kv = head_ * in_.v.size(0) / in_.q.size(0);
    Row dy(static_cast<std::size_t>(keys), 0.0);
    for (std::int64_t key = 0; key < keys; ++key)
      for (std::int64_t d = 0; d < in_.v.size(2); ++d)
        dy[static_cast<std::size_t>(key)] +=
            static_cast<double>(dz.at(d)) * static_cast<double>(in_.v.at(kv, key, d));
    return dy;
  }
  // Through the edits of a stage from `first` on.
  void through_edits(ScoreStage stage, Row& dy, std::size_t first = 0) const {
    edits_.send_back(head_, stage, row_, sent_, dy, first);
  }
  // What a softmax sends to the row's sink, whose share is what the keys leave.
  float to_sink(const Row& dy) const {
    const Tensor pattern = edits_.before(in_, lse_, head_, ScoreStage::pattern, {row_, row_ + 1});
    double share = 1;
    for (std::int64_t key = 0; key < pattern.size(1); ++key) share -= static_cast<double>(pattern.at(0, key));
    return static_cast<float>(-share * weighted_mean(pattern, dy));
  }
  // From a stage before its edits to what it was made of.
  void through(ScoreStage stage, Row& dy) const {
    const auto before = [&] { return edits_.before(in_, lse_, head_, stage, {row_, row_ + 1}); };
    if (stage == ScoreStage::pattern) through_softmax(before(), dy);
    if (stage == ScoreStage::capped && in_.cap > 0.f) {
      const Tensor capped = before();
      for (std::size_t key = 0; key < dy.size(); ++key) {
        const double t =
            static_cast<double>(capped.at(0, static_cast<std::int64_t>(key))) / static_cast<double>(in_.cap);
        dy[key] *= 1 - t * t;
      }
    }
    for (std::size_t key = 0; key < dy.size() && stage == ScoreStage::masked; ++key)
      if (!in_.mask.allowed(in_.first_query + row_, static_cast<std::int64_t>(key))) dy[key] = 0;
    for (std::size_t key = 0; key < dy.size() && stage == ScoreStage::scaled; ++key)
      dy[key] *= static_cast<double>(in_.scale);
  }

 private:
  const AttentionInputs& in_;
  const Tensor& lse_;
  const StageEdits& edits_;
  const StageEdits::Sent& sent_;
  std::int64_t head_, row_;
};

StageEdits::Sent sent_back(const AttentionState& state, std::int64_t head, const Tensor& dz) {
  const std::vector<ScoreStage> order = stage_order(state.in);
  return state.edits->sent(
      state.in, state.lse, head,
      [&](std::int64_t row, ScoreStage stage, std::size_t edit, const StageEdits::Sent& sent) {
        const RowBack way(state, head, row, sent);
        Row dy = way.begin(dz.select(0, head).select(0, row));
        for (std::size_t i = order.size(); i-- > 0 && order[i] != stage;) {
          way.through_edits(order[i], dy);
          way.through(order[i], dy);
        }
        way.through_edits(stage, dy, edit + 1);
        return dy;
      });
}

}  // namespace

StageGradients stage_gradients(const AttentionState& state, std::int64_t head, std::int64_t row,
                               const Tensor& dz, const StageEdits::Sent& sent) {
  const RowBack way(state, head, row, sent);
  StageGradients out;
  Row dy = way.begin(dz);
  const std::vector<ScoreStage> order = stage_order(state.in);
  for (std::size_t i = order.size(); i-- > 0;) {
    const auto at = static_cast<std::size_t>(order[i]);
    out.stages[at] = as_tensor(dy);
    way.through_edits(order[i], dy);
    out.passed[at] = as_tensor(dy);
    if (order[i] == ScoreStage::biased) out.bias = out.passed[at];
    if (order[i] == ScoreStage::pattern && !state.in.sinks.empty()) out.sink = way.to_sink(dy);
    way.through(order[i], dy);
  }
  out.products = as_tensor(dy);
  return out;
}

AttentionGrads attention_backward(const AttentionState& state, const Tensor& dz, const Tensor& z,
                                  SentByHead& sent) {
  const AttentionInputs& in = state.in;
  if (!state.edits) return attend_backward(dz, in, {z, state.lse});
  const StageEdits& edits = *state.edits;
  Sum streamed(dz);  // without the rows that go their own way
  const std::int64_t heads = in.q.size(0), queries = in.q.size(1), keys = in.k.size(1);
  for (std::int64_t head = 0; head < heads; ++head)
    for (std::int64_t row = 0; row < queries; ++row)
      for (std::int64_t d = 0; d < dz.size(2) && edits.involves(head, row); ++d)
        streamed.at(head, row, d) = 0.f;
  AttentionGrads grads = attend_backward(std::move(streamed).freeze(), in, {z, state.lse});
  Sum dq(grads.q), dk(grads.k), dv(grads.v);
  std::vector<float> sinks = grads.sinks.values();
  Tensor table = grads.table;
  std::vector<float> buckets = table.values();
  for (std::int64_t head = 0; head < heads; ++head) {
    if (!edits.reach(head)) continue;
    const std::int64_t kv = head * in.k.size(0) / heads;
    const StageEdits::Sent& own_sent = sent[head] = sent_back(state, head, dz);
    for (std::int64_t row = 0; row < queries; ++row) {
      if (!edits.involves(head, row)) continue;
      const Tensor own = dz.select(0, head).select(0, row);
      const StageGradients back = stage_gradients(state, head, row, own, own_sent);
      if (!sinks.empty()) sinks[static_cast<std::size_t>(head * queries + row)] = back.sink;
      const Tensor pattern = state.stage(ScoreStage::pattern, head, {row, row + 1}, {0, keys});
      for (std::int64_t key = 0; key < keys; ++key) {
        const float weight = pattern.at(0, key), product = back.products.at(key);
        for (std::int64_t d = 0; d < dz.size(2); ++d) dv.at(kv, key, d) += weight * own.at(d);
        for (std::int64_t d = 0; d < in.q.size(2); ++d) {
          dq.at(head, row, d) += product * in.k.at(kv, key, d);
          dk.at(kv, key, d) += product * in.q.at(head, row, d);
        }
        if (buckets.empty()) continue;
        const std::int64_t bucket = in.bias.bucket(in.first_query + row, key);
        buckets[static_cast<std::size_t>(bucket * heads + head)] += back.bias.at(key);
      }
    }
  }
  grads.q = std::move(dq).freeze(), grads.k = std::move(dk).freeze(), grads.v = std::move(dv).freeze();
  if (!sinks.empty())
    grads.sinks =
        Tensor::from(std::move(sinks), {{Axis::head, heads}, {Axis::query, queries}, {Axis::unit, 1}});
  if (!buckets.empty())
    grads.table = Tensor::from(std::move(buckets), {{table.axis(0), table.size(0)}, {table.axis(1), heads}});
  return grads;
}

}  // namespace attnscope
