// Parts of a run that are held while what they read changes: the pattern of an attention, the gates of an
// MLP.
#pragma once

#include "core/ops/matrices.h"
#include "core/trace/trace.h"

namespace attnscope {

/// A recorded step of a stack, in double.
Matrix64 recorded64(const Trace& trace, const Site& site);

/// One attention with its pattern held: heads side by side in the columns.
class HeldAttention {
 public:
  HeldAttention(const Trace& trace, const Site& z) : state_(*trace.attention(z)) {}

  // z [query, heads d_head] of values [key, kv_heads d_head].
  Matrix64 weighted(const Matrix64& v) const {
    Matrix64 out{queries(), heads() * width(), {}};
    out.cells.resize(static_cast<std::size_t>(out.rows * out.cols));
    each([&](std::int64_t head, std::int64_t query, std::int64_t key, double weight) {
      for (std::int64_t i = 0; i < width(); ++i)
        cell(out, query, head * width() + i) += weight * v.at(key, kv(head) * width() + i);
    });
    return out;
  }
  // Back from directions over z to directions over the values.
  Matrix64 spread(const Matrix64& g) const {
    Matrix64 out{state_.in.k.size(1), state_.in.v.size(0) * width(), {}};
    out.cells.resize(static_cast<std::size_t>(out.rows * out.cols));
    each([&](std::int64_t head, std::int64_t query, std::int64_t key, double weight) {
      for (std::int64_t i = 0; i < width(); ++i)
        cell(out, key, kv(head) * width() + i) += weight * g.at(query, head * width() + i);
    });
    return out;
  }

 private:
  static double& cell(Matrix64& m, std::int64_t row, std::int64_t col) {
    return m.cells[static_cast<std::size_t>(row * m.cols + col)];
  }
  std::int64_t heads() const { return state_.in.q.size(0); }
  std::int64_t width() const { return state_.in.v.size(2); }
  std::int64_t queries() const { return state_.in.q.size(1); }
  std::int64_t kv(std::int64_t head) const { return head * state_.in.v.size(0) / heads(); }
  template <class Visit>
  void each(Visit visit) const {
    const std::int64_t keys = state_.in.k.size(1);
    for (std::int64_t head = 0; head < heads(); ++head)
      for (std::int64_t query = 0; query < queries(); ++query) {
        const Tensor row = state_.stage(ScoreStage::pattern, head, {query, query + 1}, {0, keys});
        for (std::int64_t key = 0; key < keys; ++key)
          if (const auto weight = static_cast<double>(row.at(0, key)); weight != 0)
            visit(head, query, key, weight);
      }
  }

  const AttentionState& state_;
};

/// The steps of an MLP.
struct HeldMlp {
  Site linear;     // what stays linear: mlp.pre, or mlp.up
  Site gate;       // mlp.post, or mlp.act
  Matrix64 ratio;  // what each neuron is multiplied by
};
/// `out`: what the MLP adds (mlp.out). The ratios are those of the run before edits of its gate.
HeldMlp held_mlp(const Trace& trace, const Site& out);

}  // namespace attnscope
