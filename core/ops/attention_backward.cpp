// Backward of attend(): scores and pattern are computed anew by tiles from q, k, mask and each row's
// log-sum-exp. One key/value head is one piece of work, its query heads and tiles are taken in order; so
// every sum has one order on any number of threads.
#include <algorithm>
#include <cmath>

#include "core/ops/backward.h"
#include "core/ops/bias.h"
#include "core/ops/heads.h"
#include "core/ops/kernels.h"
#include "core/ops/mask.h"
#include "core/ops/product.h"
#include "core/ops/tiles.h"

namespace attnscope {
namespace {

constexpr std::int64_t kQueryTile = 64;
constexpr std::int64_t kKeyTile = 256;
constexpr std::int64_t kSideBySide = 4;  // rows

// Where the gradients of one head are written: rows `ld` apart.
struct RowsOut {
  float* data;
  std::int64_t ld;
  float* row(std::int64_t index) const { return data + index * ld; }
};

// What all heads read.
struct Seen {
  AttentionInputs in;
  Tensor dz, z, lse;
};

// Backward of one query head over all tiles; dk and dv are added to.
class HeadBack {
 public:
  HeadBack(const Seen& seen, std::int64_t head, RowsOut dq, RowsOut dk, RowsOut dv)
      : in_(seen.in),
        head_(head),
        q_(rows_of(in_.q, head)),
        k_(rows_of(in_.k, kv_head(in_, head))),
        v_(rows_of(in_.v, kv_head(in_, head))),
        dz_(rows_of(seen.dz, head)),
        z_(rows_of(seen.z, head)),
        lse_(seen.lse.data() + head * seen.lse.stride(0)),
        dq_(dq),
        dk_(dk),
        dv_(dv),
        queries_(in_.q.size(1)),
        keys_(in_.k.size(1)),
        d_head_(in_.q.size(2)),
        d_value_(in_.v.size(2)),
        bias_(in_.bias, head, in_.first_query, in_.first_query + queries_, keys_),
        lowest_(1 - in_.first_query - queries_),
        query_(scratch(kQueryTile * d_head_)),
        panels_(scratch(kKeyTile * std::max(d_head_, d_value_))),
        pattern_(scratch(kQueryTile * kKeyTile)),
        gradient_(scratch(kQueryTile * kKeyTile)),
        bend_(scratch(in_.cap > 0 ? kQueryTile * kKeyTile : 0)),
        by_distance_(in_.bias.kind == ScoreBias::Kind::buckets ? static_cast<std::size_t>(keys_ + queries_)
                                                               : 0) {}

  void run() {
    for (std::int64_t first = 0, count = 0; first < queries_; first += count) {
      count = std::min(kQueryTile, queries_ - first);
      if (in_.mask.sequences)  // a tile is of one sequence: all others are hidden from it
        count = std::min(
            count, (*in_.mask.sequences)[static_cast<std::size_t>(position(first))].end - position(first));
      query_tile(first, count);
    }
  }

  // Adds what each bucket of the bias collected to column `head` of table [bucket, head].
  void finish_table(float* table, std::int64_t heads) const {
    std::vector<double> sums(static_cast<std::size_t>(in_.bias.table.size(0)), 0.0);
    for (std::size_t i = 0; i < by_distance_.size(); ++i) {
      const std::int64_t distance = lowest_ + static_cast<std::int64_t>(i);
      sums[static_cast<std::size_t>(in_.bias.bucket(0, distance))] += by_distance_[i];
    }
    for (std::size_t bucket = 0; bucket < sums.size(); ++bucket)
      table[static_cast<std::int64_t>(bucket) * heads + head_] = static_cast<float>(sums[bucket]);
  }

 private:
  std::int64_t position(std::int64_t query) const { return in_.first_query + query; }

  void query_tile(std::int64_t first, std::int64_t count) {
    for (std::int64_t i = 0; i < count; i += kSideBySide) measure_levels(first, i, count);
    for (std::int64_t i = 0; i < count; ++i) {
      for (std::int64_t d = 0; d < d_head_; ++d) query_[i * d_head_ + d] = q_.row(first + i)[d] * in_.scale;
      std::fill(dq_.row(first + i), dq_.row(first + i) + d_head_, 0.f);
    }
    const KeySpan span = reachable_span(in_.mask, position(first), position(first + count - 1) + 1, keys_);
    for (std::int64_t key = in_.mask.sequences ? span.begin : span.begin / kKeyTile * kKeyTile;
         key < span.end; key += kKeyTile)
      key_tile(first, count, key, std::min(kKeyTile, span.end - key));
    for (std::int64_t i = 0; i < count; ++i) kernel_.scale_row(dq_.row(first + i), in_.scale, d_head_);
  }

  // Sums of dz z of a few rows, none of which waits for another: what the softmax takes off every gradient of
  // the row.
  void measure_levels(std::int64_t first, std::int64_t i, std::int64_t count) {
    double sums[kSideBySide] = {};
    const float *dz[kSideBySide], *z[kSideBySide];
    for (std::int64_t j = 0; j < kSideBySide; ++j) {
      const std::int64_t row = first + std::min(i + j, count - 1);
      dz[j] = dz_.row(row), z[j] = z_.row(row);
    }
    for (std::int64_t d = 0; d < d_value_; ++d)
      for (std::int64_t j = 0; j < kSideBySide; ++j)
        sums[j] += static_cast<double>(dz[j][d]) * static_cast<double>(z[j][d]);
    for (std::int64_t j = 0; j < kSideBySide && i + j < count; ++j)
      level_[i + j] = static_cast<float>(sums[j]);
  }

  void key_tile(std::int64_t first, std::int64_t count, std::int64_t key, std::int64_t keys) {
    step_ = (keys + kernel_.width - 1) / kernel_.width * kernel_.width;
    against({query_.get(), d_head_}, count, {k_.row(key), k_.ld}, keys, d_head_, pattern_.get());
    for (std::int64_t i = 0; i < count; ++i) weigh(first + i, i, key, keys);
    add(pattern_.get(), 1, step_, {dz_.row(first), dz_.ld}, {dv_.row(key), dv_.ld}, keys, d_value_, count);
    against({dz_.row(first), dz_.ld}, count, {v_.row(key), v_.ld}, keys, d_value_, gradient_.get());
    for (std::int64_t i = 0; i < count; ++i) through_softmax(first + i, i, key, keys);
    add(gradient_.get(), step_, 1, {k_.row(key), k_.ld}, {dq_.row(first), dq_.ld}, count, d_head_, keys);
    add(gradient_.get(), 1, step_, {query_.get(), d_head_}, {dk_.row(key), dk_.ld}, keys, d_head_, count);
  }

  // cells [count, keys] = rows [count, width] others [keys, width]^T; rows of cells are step_ apart, and what
  // the last vector has beyond the keys is read by nobody.
  void against(Rows rows, std::int64_t count, Rows others, std::int64_t keys, std::int64_t width,
               float* cells) {
    kernel_.pack(others.data, others.ld, true, panels_.get(), kernel_.columns, keys, width);
    for (std::int64_t col = 0; col < step_; col += kernel_.columns) {
      const std::int64_t n = std::min(kernel_.columns, step_ - col);
      kernel_.multiply(rows.data, rows.ld, 1, panels_.get() + col * width, n, kZeroRow, 0, cells + col, step_,
                       count, n, width);
    }
  }

  // to [m, n] += cells [m, k] rows [k, n]; cell (i, j) is cells[i cell_row + j cell_col].
  void add(const float* cells, std::int64_t cell_row, std::int64_t cell_col, Rows rows, RowsOut to,
           std::int64_t m, std::int64_t n, std::int64_t k) {
    if (n % kernel_.width != 0)
      return multiply_alone({cells, cell_row, cell_col, nullptr, to.data, to.ld, m, n, k, true},
                            Right(rows.data, rows.ld, false));
    for (std::int64_t col = 0; col < n; col += kernel_.columns)
      kernel_.multiply(cells, cell_row, cell_col, rows.data + col, rows.ld, to.data + col, to.ld,
                       to.data + col, to.ld, m, std::min(kernel_.columns, n - col), k);
  }

  // Row i of the tile from scaled scores to the pattern.
  void weigh(std::int64_t query, std::int64_t i, std::int64_t key, std::int64_t keys) {
    float* row = pattern_.get() + i * step_;
    if (in_.cap > 0) {
      kernel_.cap_row(row, in_.cap, keys);
      for (std::int64_t j = 0; j < keys; ++j) {
        const float t = row[j] / in_.cap;
        bend_[static_cast<std::size_t>(i * keys + j)] = 1.f - t * t;  // the cap's own gradient
      }
    }
    if (!bias_.empty()) kernel_.add_row(row, bias_.row(position(query), key), keys);
    if (lse_[query] == kNobody) return std::fill(row, row + keys, 0.f);
    kernel_.exp_row(row, lse_[query], keys);
    fill_masked(in_.mask, position(query), key, key + keys, 0.f, row);
  }

  // Row i of the tile from gradients of the pattern to gradients of the scaled scores.
  void through_softmax(std::int64_t query, std::int64_t i, std::int64_t key, std::int64_t keys) {
    float* __restrict gradient = gradient_.get() + i * step_;
    const float* __restrict pattern = pattern_.get() + i * step_;
    const float level = level_[i];
    for (std::int64_t j = 0; j < keys; ++j) {
      const float back = pattern[j] * (gradient[j] - level);  // always computed: there is no branch
      gradient[j] = pattern[j] == 0.f ? 0.f : back;
    }
    if (!by_distance_.empty()) {
      double* sums = by_distance_.data() + (key - position(query) - lowest_);
      for (std::int64_t j = 0; j < keys; ++j) sums[j] += static_cast<double>(gradient[j]);
    }
    if (in_.cap > 0)
      for (std::int64_t j = 0; j < keys; ++j) gradient[j] *= bend_[static_cast<std::size_t>(i * keys + j)];
  }

  const Kernels& kernel_ = kernels();
  const AttentionInputs& in_;
  std::int64_t head_;
  Rows q_, k_, v_, dz_, z_;
  const float* lse_;
  RowsOut dq_, dk_, dv_;
  std::int64_t queries_, keys_, d_head_, d_value_;
  BiasLine bias_;
  std::int64_t lowest_;                                 // distance of by_distance_[0]
  Scratch query_, panels_, pattern_, gradient_, bend_;  // [query, d_head], a factor, then [query, key]
  std::int64_t step_ = 0;                               // from one query of `pattern_` to the next
  std::vector<double> by_distance_;                     // gradients of the bias for each key - query
  float level_[kQueryTile] = {};
};

Seen attention_backward_prepared(const Tensor& dz, const AttentionInputs& in, const AttentionResult& out) {
  check_attention(in);
  CHECK(dz.sizes() == out.z.sizes() && out.z.size(0) == in.q.size(0) && out.z.size(1) == in.q.size(1));
  Seen seen{in, with_whole_head_rows(dz), with_whole_head_rows(out.z), out.lse.packed()};
  seen.in.q = with_whole_head_rows(in.q);
  seen.in.k = with_whole_head_rows(in.k);
  seen.in.v = with_whole_head_rows(in.v);
  return seen;
}

// Storage [row, head, d] for gradients of x [head, row, d].
Buffer storage_for(const Tensor& x) {
  Buffer out({{x.axis(1), x.size(1)}, {x.axis(0), x.size(0)}, {x.axis(2), x.size(2)}});
  std::fill(out.data(), out.data() + out.count(), 0.f);
  return out;
}

RowsOut head_of(Buffer& storage, const Tensor& x, std::int64_t head) {
  return {storage.data() + head * x.size(2), x.size(0) * x.size(2)};
}

// A sink's column of the pattern is dropped, so that only the softmax sends it something: -p dz z.
Tensor sinks_backward(const Seen& seen) {
  const Tensor& sinks = seen.in.sinks;
  Buffer out({{sinks.axis(0), sinks.size(0)}, {sinks.axis(1), sinks.size(1)}, {sinks.axis(2), 1}});
  float* to = out.data();
  for (std::int64_t head = 0; head < sinks.size(0); ++head)
    for (std::int64_t query = 0; query < sinks.size(1); ++query) {
      double sum = 0;
      for (std::int64_t d = 0; d < seen.z.size(2); ++d)
        sum +=
            static_cast<double>(seen.dz.at(head, query, d)) * static_cast<double>(seen.z.at(head, query, d));
      const float beyond = sinks.at(head, query, 0) - seen.lse.at(head, query);
      *to++ = static_cast<float>(-std::exp(static_cast<double>(beyond)) * sum);
    }
  return std::move(out).freeze();
}

}  // namespace

AttentionGrads attend_backward(const Tensor& dz, const AttentionInputs& inputs, const AttentionResult& out) {
  const Seen seen = attention_backward_prepared(dz, inputs, out);
  const AttentionInputs& in = seen.in;
  const std::int64_t heads = in.q.size(0), kv_heads = in.k.size(0), shared = heads / kv_heads;
  const bool buckets = in.bias.kind == ScoreBias::Kind::buckets;
  Buffer dq = storage_for(in.q), dk = storage_for(in.k), dv = storage_for(in.v);
  Buffer table({{Axis::none, buckets ? in.bias.table.size(0) : 0}, {Axis::head, heads}});  // [bucket, head]
  const auto one = [&](std::int64_t kv) {
    for (std::int64_t head = kv * shared; head < (kv + 1) * shared; ++head) {
      HeadBack back(seen, head, head_of(dq, in.q, head), head_of(dk, in.k, kv), head_of(dv, in.v, kv));
      back.run();
      if (buckets) back.finish_table(table.data(), heads);
    }
  };
  if (heads * in.q.size(1) * in.k.size(1) * in.v.size(2) < kWorthThreads)
    for (std::int64_t kv = 0; kv < kv_heads; ++kv) one(kv);
  else
    for_each_tile(kv_heads, one);
  AttentionGrads grads;
  grads.q = std::move(dq).freeze().permute({1, 0, 2});
  grads.k = std::move(dk).freeze().permute({1, 0, 2});
  grads.v = std::move(dv).freeze().permute({1, 0, 2});
  if (buckets) grads.table = std::move(table).freeze().rename({in.bias.table.axis(0), in.bias.table.axis(1)});
  if (!in.sinks.empty()) grads.sinks = sinks_backward(seen);
  return grads;
}

}  // namespace attnscope
