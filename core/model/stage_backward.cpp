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

// Through a softmax: p (dp - sum p dp).
void through_softmax(const Tensor& pattern, Row& dy) {
  double sum = 0;
  for (std::size_t key = 0; key < dy.size(); ++key)
    sum += static_cast<double>(pattern.at(0, static_cast<std::int64_t>(key))) * dy[key];
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

}  // namespace

StageGradients stage_gradients(const AttentionState& state, std::int64_t head, std::int64_t row,
                               const Tensor& dz) {
  const AttentionInputs& in = state.in;
  const StageEdits& edits = *state.edits;
  const std::int64_t keys = in.k.size(1), kv = head * in.v.size(0) / in.q.size(0);
  const Range rows{row, row + 1};
  StageGradients out;
  Row dy(static_cast<std::size_t>(keys), 0.0);
  for (std::int64_t key = 0; key < keys; ++key)
    for (std::int64_t d = 0; d < in.v.size(2); ++d)
      dy[static_cast<std::size_t>(key)] +=
          static_cast<double>(dz.at(d)) * static_cast<double>(in.v.at(kv, key, d));
  const std::vector<ScoreStage> order = stage_order(in);
  for (std::size_t i = order.size(); i-- > 0;) {
    const ScoreStage stage = order[i];
    out.stages[static_cast<std::size_t>(stage)] = as_tensor(dy);
    edits.send_back(head, stage, in.first_query + row, dy);
    if (stage == ScoreStage::biased) out.bias = as_tensor(dy);
    switch (stage) {
      case ScoreStage::pattern: through_softmax(edits.before(in, state.lse, head, stage, rows), dy); break;
      case ScoreStage::capped: {
        const Tensor capped = edits.before(in, state.lse, head, stage, rows);
        for (std::size_t key = 0; key < dy.size() && in.cap > 0.f; ++key) {
          const double t =
              static_cast<double>(capped.at(0, static_cast<std::int64_t>(key))) / static_cast<double>(in.cap);
          dy[key] *= 1 - t * t;
        }
        break;
      }
      case ScoreStage::masked:
        for (std::size_t key = 0; key < dy.size(); ++key)
          if (!in.mask.allowed(in.first_query + row, static_cast<std::int64_t>(key))) dy[key] = 0;
        break;
      case ScoreStage::scaled:
        for (double& x : dy) x *= static_cast<double>(in.scale);
        break;
      default: break;
    }
  }
  out.products = as_tensor(dy);
  return out;
}

AttentionGrads attention_backward(const AttentionState& state, const Tensor& dz, const Tensor& z) {
  const AttentionInputs& in = state.in;
  if (!state.edits) return attend_backward(dz, in, {z, state.lse});
  const StageEdits& edits = *state.edits;
  Sum streamed(dz);  // without the rows that go their own way
  const std::int64_t heads = in.q.size(0), queries = in.q.size(1), keys = in.k.size(1);
  for (std::int64_t head = 0; head < heads; ++head)
    for (std::int64_t row = 0; row < queries; ++row)
      for (std::int64_t d = 0; d < dz.size(2) && edits.covers(head, row); ++d)
        streamed.at(head, row, d) = 0.f;
  AttentionGrads grads = attend_backward(std::move(streamed).freeze(), in, {z, state.lse});
  Sum dq(grads.q), dk(grads.k), dv(grads.v);
  Tensor table = grads.table;
  std::vector<float> buckets = table.values();
  for (std::int64_t head = 0; head < heads; ++head) {
    const std::int64_t kv = head * in.k.size(0) / heads;
    for (std::int64_t row = 0; row < queries; ++row) {
      if (!edits.covers(head, row)) continue;
      const Tensor own = dz.select(0, head).select(0, row);
      const StageGradients back = stage_gradients(state, head, row, own);
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
  if (!buckets.empty())
    grads.table = Tensor::from(std::move(buckets), {{table.axis(0), table.size(0)}, {table.axis(1), heads}});
  return grads;
}

}  // namespace attnscope
