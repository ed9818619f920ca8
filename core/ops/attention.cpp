// softmax(mask(cap(q k^T scale) + bias)) v by tiles with a running row maximum and sum, and any rectangle of
// its scores or pattern computed anew from q, k, the mask and each row's log-sum-exp. Refuses to hold more
// than one tile of scores per thread. Cells of a rectangle are dot products of their own, so that every
// rectangle shows the same bits.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>

#include "core/ops/bias.h"
#include "core/ops/heads.h"
#include "core/ops/kernels.h"
#include "core/ops/mask.h"
#include "core/ops/ops.h"
#include "core/ops/tiles.h"

namespace attnscope {
namespace {

constexpr std::int64_t kFewRows = 4;  // fewer queries than this are dot products

bool all_finite(const float* values, std::int64_t count) {
  return std::all_of(values, values + count, [](float v) { return std::isfinite(v); });
}

// One block of query rows of one head on its way over the keys.
class QueryTile {
 public:
  QueryTile(const AttentionInputs& in, std::int64_t head, std::int64_t first, std::int64_t count)
      : in_(in),
        q_(rows_of(in.q, head)),
        k_(rows_of(in.k, kv_head(in, head))),
        v_(rows_of(in.v, kv_head(in, head))),
        first_(first),
        count_(count),
        d_head_(in.q.size(2)),
        d_value_(in.v.size(2)),
        query_(scratch(count * d_head_)),
        score_(scratch(count * kKeyTile)),
        z_(scratch(count * d_value_)),
        bias_(in.bias, head, in.first_query + first, in.first_query + first + count, in.k.size(1)) {}

  // False when it was cancelled.
  template <class Stop>
  bool run(Stop stop) {
    scale_queries();
    if (!walk(stop)) return false;
    if (all_finite(z_.get(), count_ * d_value_)) return true;
    skip_zeros_ = true;  // a NaN that nobody looks at must not come through as 0 * NaN
    return walk(stop);
  }

  // z rows are z_step apart.
  void finish(float* z, std::int64_t z_step, float* lse) const {
    for (std::int64_t i = 0; i < count_; ++i) {
      const bool nobody = top_[i] == kNobody;
      const float factor = nobody ? 0.f : static_cast<float>(1 / sum_[i]);
      for (std::int64_t d = 0; d < d_value_; ++d) z[i * z_step + d] = z_[i * d_value_ + d] * factor;
      lse[i] = nobody ? kNobody : static_cast<float>(static_cast<double>(top_[i]) + std::log(sum_[i]));
    }
  }

 private:
  std::int64_t position(std::int64_t i) const { return in_.first_query + first_ + i; }

  void scale_queries() {
    for (std::int64_t i = 0; i < count_; ++i)
      for (std::int64_t d = 0; d < d_head_; ++d) query_[i * d_head_ + d] = q_.row(first_ + i)[d] * in_.scale;
  }

  template <class Stop>
  bool walk(Stop stop) {
    std::fill(top_, top_ + count_, kNobody);
    std::fill(sum_, sum_ + count_, 0.0);
    std::fill(z_.get(), z_.get() + count_ * d_value_, 0.f);
    const KeySpan span = reachable_span(in_.mask, position(0), position(count_ - 1) + 1, in_.k.size(1));
    for (std::int64_t key = span.begin / kKeyTile * kKeyTile; key < span.end; key += kKeyTile) {
      if (stop()) return false;
      const std::int64_t keys = std::min(kKeyTile, span.end - key);
      score(key, keys);  // [query, key]
      weigh(key, keys);  // the same cells, now exp(score - running maximum)
      add_values(key, keys);
    }
    return true;
  }

  void score(std::int64_t key, std::int64_t keys) {
    if (count_ <= kFewRows) {
      for (std::int64_t i = 0; i < count_; ++i)
        for (std::int64_t j = 0; j < keys; ++j)
          score_[i * keys + j] = kernel_.dot(query_.get() + i * d_head_, k_.row(key + j), d_head_);
      return;
    }
    std::fill(score_.get(), score_.get() + count_ * keys, 0.f);
    kernel_.gemm(query_.get(), d_head_, k_.row(key), k_.ld, true, score_.get(), keys, count_, keys, d_head_);
  }

  void weigh(std::int64_t key, std::int64_t keys) {
    for (std::int64_t i = 0; i < count_; ++i) {
      float* row = score_.get() + i * keys;
      if (in_.cap > 0) kernel_.cap_row(row, in_.cap, keys);
      if (!bias_.empty()) kernel_.add_row(row, bias_.row(position(i), key), keys);
      fill_masked(in_.mask, position(i), key, key + keys, kNobody, row);
      const float here = kernel_.row_max(row, keys);
      const float top = here > top_[i] || std::isnan(here) ? here : top_[i];
      if (top == kNobody) {
        std::fill(row, row + keys, 0.f);
        continue;
      }
      if (top != top_[i]) rescale(i, std::exp(top_[i] - top));
      top_[i] = top;
      sum_[i] += kernel_.exp_row(row, top, keys);
    }
  }

  // What was summed under an older maximum, brought under the new one.
  void rescale(std::int64_t i, float factor) {
    sum_[i] *= static_cast<double>(factor);
    kernel_.scale_row(z_.get() + i * d_value_, factor, d_value_);
  }

  void add_values(std::int64_t key, std::int64_t keys) {
    if (skip_zeros_) return add_values_skipping_zeros(key, keys);
    if (count_ > kFewRows)
      return kernel_.gemm(score_.get(), keys, v_.row(key), v_.ld, false, z_.get(), d_value_, count_, d_value_,
                          keys);
    for (std::int64_t i = 0; i < count_; ++i)
      kernel_.gemv_columns(score_.get() + i * keys, v_.row(key), v_.ld, z_.get() + i * d_value_, keys,
                           d_value_);
  }

  void add_values_skipping_zeros(std::int64_t key, std::int64_t keys) {
    for (std::int64_t i = 0; i < count_; ++i)
      for (std::int64_t j = 0; j < keys; ++j) {
        const float weight = score_[i * keys + j];
        if (weight == 0.f) continue;
        for (std::int64_t d = 0; d < d_value_; ++d) z_[i * d_value_ + d] += weight * v_.row(key + j)[d];
      }
  }

  const Kernels& kernel_ = kernels();
  const AttentionInputs& in_;
  Rows q_, k_, v_;
  std::int64_t first_, count_, d_head_, d_value_;
  std::unique_ptr<float[]> query_, score_, z_;  // [query, d_head], [query, key], [query, d_head]
  BiasLine bias_;
  float top_[kQueryTile] = {};   // running maximum per row
  double sum_[kQueryTile] = {};  // running sum of exp(score - top)
  bool skip_zeros_ = false;
};

}  // namespace

void check_attention(const AttentionInputs& in) {
  CHECK(in.q.rank() == 3 && in.k.rank() == 3 && in.v.rank() == 3);
  CHECK(in.q.size(2) == in.k.size(2) && in.k.size(1) == in.v.size(1) && in.k.size(0) == in.v.size(0));
  CHECK(in.k.size(0) > 0 && in.q.size(0) % in.k.size(0) == 0);
  const ScoreBias& bias = in.bias;
  CHECK(bias.kind != ScoreBias::Kind::alibi || static_cast<std::int64_t>(bias.slopes.size()) == in.q.size(0));
  CHECK(bias.kind != ScoreBias::Kind::buckets ||
        (bias.table.rank() == 2 && bias.table.size(0) > 0 && bias.table.size(1) == in.q.size(0)));
}

AttentionResult attend(const AttentionInputs& inputs, const std::function<bool()>& cancelled) {
  check_attention(inputs);
  AttentionInputs in = inputs;
  in.q = with_whole_head_rows(in.q);
  in.k = with_whole_head_rows(in.k);
  in.v = with_whole_head_rows(in.v);
  const std::int64_t heads = in.q.size(0), queries = in.q.size(1), width = in.v.size(2);
  Buffer z({{in.q.axis(1), queries}, {in.q.axis(0), heads}, {in.v.axis(2), width}});  // [query, head, d_head]
  Buffer lse({{in.q.axis(0), heads}, {in.q.axis(1), queries}});                       // [head, query]
  const Cut tiles(queries, kQueryTile, 1);
  std::atomic<bool> stopped{false};
  const auto one = [&](std::int64_t index) {
    const std::int64_t head = index % heads, tile = tiles.count - 1 - index / heads;  // longest rows first
    const std::int64_t first = tiles.begin(tile);
    QueryTile block(in, head, first, tiles.end(tile) - first);
    const bool done = block.run([&] {
      if (cancelled && !stopped && cancelled()) stopped = true;
      return stopped.load();
    });
    if (done)
      block.finish(z.data() + (first * heads + head) * width, heads * width,
                   lse.data() + head * queries + first);
  };
  if (heads * queries * in.k.size(1) * width < kWorthThreads)
    for (std::int64_t index = 0; index < heads * tiles.count; ++index) one(index);
  else
    for_each_tile(heads * tiles.count, one);
  if (stopped) return {};
  return {std::move(z).freeze().permute({1, 0, 2}), std::move(lse).freeze()};
}

namespace {

// One row of a rectangle at `stage`; `row` holds its raw scores.
void bring_to_stage(const AttentionInputs& in, const BiasLine& bias, ScoreStage stage, std::int64_t query_pos,
                    float lse, std::int64_t key_begin, std::int64_t key_end, float* row) {
  const Kernels& kernel = kernels();
  const std::int64_t count = key_end - key_begin;
  const bool mask_first = in.mask_before_scale && !(in.cap > 0) && bias.empty();
  const auto mask = [&](float value) { fill_masked(in.mask, query_pos, key_begin, key_end, value, row); };
  if (stage == ScoreStage::scores) return;
  if (stage == ScoreStage::masked && mask_first) return mask(kNobody);
  kernel.scale_row(row, in.scale, count);
  if (stage >= ScoreStage::capped && in.cap > 0) kernel.cap_row(row, in.cap, count);
  if (stage >= ScoreStage::biased && !bias.empty())
    kernel.add_row(row, bias.row(query_pos, key_begin), count);
  if (stage != ScoreStage::pattern) {
    if (stage == ScoreStage::masked || mask_first) mask(kNobody);
    return;
  }
  if (lse == kNobody) return std::fill(row, row + count, 0.f);
  kernel.exp_row(row, lse, count);
  mask(0.f);
}

}  // namespace

Tensor attention_rectangle(const AttentionInputs& in, const Tensor& lse, ScoreStage stage, std::int64_t head,
                           std::int64_t row_begin, std::int64_t row_end, std::int64_t key_begin,
                           std::int64_t key_end) {
  check_attention(in);
  CHECK(head >= 0 && head < in.q.size(0));
  CHECK(row_begin >= 0 && row_begin <= row_end && row_end <= in.q.size(1));
  CHECK(key_begin >= 0 && key_begin <= key_end && key_end <= in.k.size(1));
  const Tensor all_q = with_whole_head_rows(in.q), all_k = with_whole_head_rows(in.k);
  const Rows q = rows_of(all_q, head), k = rows_of(all_k, kv_head(in, head));
  const std::int64_t d_head = in.q.size(2), keys = key_end - key_begin;
  const Kernels& kernel = kernels();
  const BiasLine bias(in.bias, head, in.first_query + row_begin, in.first_query + row_end, key_end);
  Buffer out({{Axis::query, row_end - row_begin}, {Axis::key, keys}});  // [query, key]
  parallel_for(row_end - row_begin, 1 + kWorthThreads / 8 / (1 + keys * d_head),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i) {
                   float* row = out.data() + i * keys;
                   const std::int64_t query = row_begin + i;
                   for (std::int64_t j = 0; j < keys; ++j)
                     row[j] = kernel.dot(q.row(query), k.row(key_begin + j), d_head);
                   const float row_lse = stage == ScoreStage::pattern ? lse.at(head, query) : 0.f;
                   bring_to_stage(in, bias, stage, in.first_query + query, row_lse, key_begin, key_end, row);
                 }
               });
  return std::move(out).freeze();
}

}  // namespace attnscope
