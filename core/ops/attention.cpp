// softmax(mask(cap(q k^T scale) + bias)) v by tiles of keys with a running row maximum and sum. Tiles begin
// at fixed keys, every score and every value is one chain of fused steps (kernels.h), and what a row may not
// see weighs exactly 0: so a row has the same bits whatever rows stand beside it and whatever keys follow.
// Memory: the scores of a few rows of one tile per thread, never [query, key].
#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <vector>

#include "core/ops/bias.h"
#include "core/ops/heads.h"
#include "core/ops/hidden.h"
#include "core/ops/kernels.h"
#include "core/ops/mask.h"
#include "core/ops/op_count.h"
#include "core/ops/ops.h"
#include "core/ops/tiles.h"

namespace attnscope {
namespace {

constexpr std::int64_t kKeys = 384;                 // of a tile: whole panels on every instruction set
constexpr std::int64_t kRows = 64;                  // of a piece of work
constexpr std::int64_t kAttentionGroup = 8;         // rows that go through a tile together
constexpr std::int64_t kAttentionFewRows = 16;      // for them alone nothing is packed beforehand
constexpr std::int64_t kAttentionInPlaceRows = 4;   // for them not even on the way
constexpr std::int64_t kFewWorthThreads = 1 << 14;  // multiplications: they wait for memory most of the time
constexpr std::int64_t kPackedFloats = 1 << 24;     // beforehand, at most, but for one head

std::int64_t whole(std::int64_t count, std::int64_t step) { return (count + step - 1) / step * step; }

// A tile of keys and values as products read them.
struct Tile {
  std::int64_t begin, count;
  const float* k;       // panels [d_head, key]; null: keys are read where they are
  const float* v;       // panels [key, d_head]
  std::int64_t v_step;  // floats from one key to the next; 0: as a panel is wide
};

// Keys and values of one head, tile by tile.
class KeyTiles {
 public:
  KeyTiles(const AttentionInputs& in, std::int64_t head)
      : k_(rows_of(in.k, head)),
        v_(rows_of(in.v, head)),
        keys_(in.k.size(1)),
        d_head_(in.k.size(2)),
        d_value_(in.v.size(2)),
        v_columns_(Cut(d_value_, kernel_.columns, kernel_.width).piece) {}

  std::int64_t count() const { return (keys_ + kKeys - 1) / kKeys; }
  std::int64_t v_columns() const { return v_columns_; }
  // Floats of a packed tile.
  std::int64_t room() const { return kKeys * (d_head_ + whole(d_value_, kernel_.width)); }

  // A tile that pack() left in `room`, up to the key `end`.
  Tile at(std::int64_t index, std::int64_t end, const float* room) const {
    const std::int64_t begin = index * kKeys;
    return {begin, std::min(kKeys, std::min(end, keys_) - begin), room, room + kKeys * d_head_, 0};
  }
  Tile pack(std::int64_t index, std::int64_t end, float* room) const {
    const Tile tile = at(index, end, room);
    kernel_.pack(k_.row(tile.begin), k_.ld, true, room, kernel_.columns, tile.count, d_head_);
    kernel_.pack(v_.row(tile.begin), v_.ld, false, room + kKeys * d_head_, v_columns_, d_value_, tile.count);
    return tile;
  }
  // The same for a few rows: what products can read where it is stays there.
  Tile pack_once(std::int64_t index, std::int64_t end, std::int64_t rows, float* room) const {
    Tile tile = at(index, end, room);
    if (rows <= kAttentionInPlaceRows)
      tile.k = nullptr;
    else
      kernel_.pack(k_.row(tile.begin), k_.ld, true, room, kernel_.columns, tile.count, d_head_);
    if (d_value_ % kernel_.width == 0) {
      tile.v = v_.row(tile.begin);
      tile.v_step = v_.ld;
    } else {
      kernel_.pack(v_.row(tile.begin), v_.ld, false, room + kKeys * d_head_, v_columns_, d_value_,
                   tile.count);
    }
    return tile;
  }
  Rows keys() const { return k_; }
  Rows values() const { return v_; }

 private:
  const Kernels& kernel_ = kernels();
  Rows k_, v_;
  std::int64_t keys_, d_head_, d_value_, v_columns_;
};

// Some query rows of the heads that share a key/value head, head after head, on their way over the keys.
class QueryRows {
 public:
  QueryRows(const AttentionInputs& in, const KeyTiles& keys, std::int64_t kv, std::int64_t first,
            std::int64_t count)
      : in_(in),
        keys_(keys),
        first_(kv * (in.q.size(0) / in.k.size(0)) * in.q.size(1) + first),
        count_(count),
        d_head_(in.q.size(2)),
        d_value_(in.v.size(2)),
        z_step_(whole(d_value_, kernel_.width)),
        query_(scratch(count * d_head_)),
        score_(scratch(kAttentionGroup * kKeys)),
        z_(scratch(count * z_step_)) {
    for (std::int64_t i = 0; i < count; ++i)  // rows lie far apart: all are asked for at once
      for (std::int64_t d = 0; d < d_head_; d += 16)
        __builtin_prefetch(rows_of(in.q, head(i)).row(query(i)) + d);
    for (std::int64_t i = 0; i < count; ++i) {
      const Rows q = rows_of(in.q, head(i));
      for (std::int64_t d = 0; d < d_head_; ++d) query_[i * d_head_ + d] = q.row(query(i))[d] * in.scale;
      spans_[i] = reachable_span(in.mask, position(i), position(i) + 1, in.k.size(1));
    }
    for (std::int64_t i = 0; i < count; ++i)
      if (i == 0 || head(i) != head(i - 1))
        bias_.emplace_back(in.bias, head(i), position(i),
                           position(std::min(count - 1, i - query(i) + in.q.size(1) - 1)) + 1, in.k.size(1));
  }

  // Tiles lie packed in `packed`, or are packed as they come where that is null. False when it was cancelled.
  template <class Stop>
  bool run(const float* packed, Stop stop) {
    if (!walk(0, count_, packed, stop)) return false;
    hiding_ = true;  // a NaN in v at weight 0 must not come through as 0 * NaN
    for (std::int64_t i = 0; i < count_; ++i)
      if (!all_finite(z_.get() + i * z_step_, d_value_) && !walk(i, i + 1, packed, stop)) return false;
    return true;
  }

  std::int64_t multiply_adds() const { return multiply_adds_; }

  // z is [query, head, d_head], lse [head, query].
  void finish(float* z, float* lse) const {
    for (std::int64_t i = 0; i < count_; ++i) {
      const bool nobody = top_[i] == kNobody;
      const double keys = static_cast<double>(top_[i]) + (nobody ? 0. : std::log(sum_[i]));
      const double all = with_sink(in_, head(i), query(i), keys);
      const float factor = nobody ? 0.f : static_cast<float>(std::exp(keys - all) / sum_[i]);
      float* const to = z + (query(i) * in_.q.size(0) + head(i)) * d_value_;
      for (std::int64_t d = 0; d < d_value_; ++d) to[d] = z_[i * z_step_ + d] * factor;
      lse[first_ + i] = static_cast<float>(all);
    }
  }

 private:
  std::int64_t head(std::int64_t i) const { return (first_ + i) / in_.q.size(1); }
  std::int64_t query(std::int64_t i) const { return (first_ + i) % in_.q.size(1); }
  std::int64_t position(std::int64_t i) const { return in_.first_query + query(i); }
  const BiasLine& bias(std::int64_t i) const { return bias_[static_cast<std::size_t>(head(i) - head(0))]; }

  // Keys that any of the rows [begin, end) can see.
  KeySpan reach(std::int64_t begin, std::int64_t end) const {
    KeySpan all{in_.k.size(1), 0};
    for (std::int64_t i = begin; i < end; ++i)
      if (spans_[i].begin < spans_[i].end)
        all = {std::min(all.begin, spans_[i].begin), std::max(all.end, spans_[i].end)};
    return all;
  }

  template <class Stop>
  bool walk(std::int64_t begin, std::int64_t end, const float* packed, Stop stop) {
    std::fill(top_ + begin, top_ + end, kNobody);
    std::fill(sum_ + begin, sum_ + end, 0.0);
    std::fill(z_.get() + begin * z_step_, z_.get() + end * z_step_, 0.f);
    const KeySpan span = reach(begin, end);
    for (std::int64_t index = span.begin / kKeys; index * kKeys < span.end; ++index) {
      if (stop()) return false;
      if (!packed && !room_) room_ = scratch(keys_.room());
      const Tile tile = packed ? keys_.at(index, in_.k.size(1), packed + index * keys_.room())
                               : keys_.pack_once(index, span.end, end - begin, room_.get());
      for (std::int64_t i = begin; i < end; i += kAttentionGroup)
        through(tile, i, std::min(kAttentionGroup, end - i));
    }
    return true;
  }

  // The rows [i, i + rows) and as many keys of a tile as they can see, in whole vectors.
  void through(const Tile& tile, std::int64_t i, std::int64_t rows) {
    const KeySpan span = reach(i, i + rows);
    const std::int64_t begin =
        std::max<std::int64_t>(0, span.begin - tile.begin) / kernel_.width * kernel_.width;
    const std::int64_t end = std::min(tile.count, whole(span.end - tile.begin, kernel_.width));
    if (begin >= end) return;
    multiply_adds_ += rows * (end - begin) * (d_head_ + d_value_);
    score(tile, i, rows, begin, end);  // [row, key]
    for (std::int64_t row = 0; row < rows; ++row)
      weigh(tile, i + row, begin, end, score_.get() + row * kKeys);
    add_values(tile, i, rows, begin, end);
  }

  void score(const Tile& tile, std::int64_t i, std::int64_t rows, std::int64_t begin, std::int64_t end) {
    const float* const q = query_.get() + i * d_head_;
    if (!tile.k) return score_in_place(keys_.keys().row(tile.begin + begin), q, rows, begin, end);
    score_packed(tile.k, tile.count, q, rows, begin, end);
  }
  // Keys [begin, end) of `count` in panels; the first one may be read from its middle on.
  void score_packed(const float* k, std::int64_t count, const float* q, std::int64_t rows, std::int64_t begin,
                    std::int64_t end, std::int64_t to = 0) {
    for (std::int64_t panel = begin / kernel_.columns * kernel_.columns; panel < end;
         panel += kernel_.columns) {
      const std::int64_t ld = std::min(kernel_.columns, whole(count - panel, kernel_.width));
      const std::int64_t key = std::max(begin, panel),
                         n = std::min(panel + ld, whole(end, kernel_.width)) - key;
      kernel_.multiply(q, d_head_, 1, k + panel * d_head_ + (key - panel), ld, kZeroRow, 0,
                       score_.get() + to + key, kKeys, rows, n, d_head_);
    }
  }
  // Sixteen keys at a time where they lie; the last few are packed.
  void score_in_place(const float* k, const float* q, std::int64_t rows, std::int64_t begin,
                      std::int64_t end) {
    const std::int64_t ld = keys_.keys().ld, turned = (end - begin) / 16 * 16, last = end - begin - turned;
    for (std::int64_t row = 0; row < rows; ++row)
      std::fill_n(score_.get() + row * kKeys + begin, turned, 0.f);
    kernel_.multiply_transposed(q, d_head_, k, ld, score_.get() + begin, kKeys, rows, turned, d_head_);
    if (last == 0) return;
    kernel_.pack(k + turned * ld, ld, true, room_.get(), kernel_.columns, last, d_head_);
    score_packed(room_.get(), last, q, rows, 0, last, begin + turned);
  }

  // Scores become exp(score - running maximum); what the last vector has beyond them becomes 0.
  void weigh(const Tile& tile, std::int64_t i, std::int64_t begin, std::int64_t end, float* scores) {
    float* const row = scores + begin;
    const std::int64_t keys = end - begin, padded = whole(keys, kernel_.width), key = tile.begin + begin;
    if (in_.cap > 0) kernel_.cap_row(row, in_.cap, keys);
    if (!bias(i).empty()) kernel_.add_row(row, bias(i).row(position(i), key), keys);
    fill_masked(in_.mask, position(i), key, key + keys, kNobody, row);
    std::fill(row + keys, row + padded, kNobody);
    const float here = kernel_.row_max(row, padded);
    const float top = here > top_[i] || std::isnan(here) ? here : top_[i];
    if (top == kNobody) return std::fill(row, row + padded, 0.f);
    if (top != top_[i]) rescale(i, std::exp(top_[i] - top));
    top_[i] = top;
    sum_[i] += kernel_.exp_row(row, top, padded);
  }

  // What was summed under an older maximum, brought under the new one.
  void rescale(std::int64_t i, float factor) {
    sum_[i] *= static_cast<double>(factor);
    kernel_.scale_row(z_.get() + i * z_step_, factor, z_step_);
  }

  void add_values(const Tile& tile, std::int64_t i, std::int64_t rows, std::int64_t begin, std::int64_t end) {
    if (hiding_) return add_what_is_seen(tile, i, begin, end);
    const std::int64_t most = rows == 1 && tile.v_step > 0 ? kernel_.row_columns : keys_.v_columns();
    for (std::int64_t col = 0; col < d_value_; col += most) {
      const std::int64_t n = std::min(most, z_step_ - col), ld = tile.v_step > 0 ? tile.v_step : n;
      const float* const from = tile.v_step > 0 ? tile.v + col : tile.v + col * tile.count;
      float* const z = z_.get() + i * z_step_ + col;
      kernel_.multiply(score_.get() + begin, kKeys, 1, from + begin * ld, ld, z, z_step_, z, z_step_, rows, n,
                       end - begin);
    }
  }

  void add_what_is_seen(const Tile& tile, std::int64_t i, std::int64_t begin, std::int64_t end) {
    const Rows v = keys_.values();
    add_seen_values(score_.get() + begin, {v.row(tile.begin + begin), v.ld}, end - begin, d_value_,
                    z_.get() + i * z_step_);
  }

  const Kernels& kernel_ = kernels();
  const AttentionInputs& in_;
  const KeyTiles& keys_;
  std::int64_t first_, count_, d_head_, d_value_, z_step_;
  Scratch query_, score_, z_, room_;  // [row, d_head], [row, key], [row, d_head], a tile
  std::vector<BiasLine> bias_;        // of each head
  KeySpan spans_[kRows] = {};         // keys that each row can see lie in it
  float top_[kRows] = {};             // running maximum per row
  double sum_[kRows] = {};            // running sum of exp(score - top)
  std::int64_t multiply_adds_ = 0;
  bool hiding_ = false;
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
  CHECK(in.sinks.empty() || (in.sinks.sizes() == std::vector{in.q.size(0), in.q.size(1), std::int64_t{1}}));
}

namespace {

// One call of attend(): some key/value heads are packed, then go through all their rows, then the next ones.
class Attention {
 public:
  Attention(const AttentionInputs& in, const std::function<bool()>& cancelled)
      : in_(in),
        cancelled_(cancelled),
        rows_(in.q.size(0) / in.k.size(0) * in.q.size(1), kRows, 1),
        z_({{in.q.axis(1), in.q.size(1)}, {in.q.axis(0), in.q.size(0)}, {in.v.axis(2), in.v.size(2)}}),
        lse_({{in.q.axis(0), in.q.size(0)}, {in.q.axis(1), in.q.size(1)}}) {
    for (std::int64_t kv = 0; kv < in.k.size(0); ++kv) keys_.emplace_back(in_, kv);
  }

  AttentionResult run() {
    const std::int64_t heads = in_.k.size(0), per_head = keys_[0].count() * keys_[0].room();
    const bool few = rows_.size <= kAttentionFewRows;
    const std::int64_t at_once =
        few ? heads : std::clamp<std::int64_t>(kPackedFloats / std::max<std::int64_t>(1, per_head), 1, heads);
    const Scratch room = few ? nullptr : scratch(at_once * per_head);
    for (std::int64_t head = 0; head < heads; head += at_once)
      heads_at_once(head, std::min(at_once, heads - head), room.get(), per_head);
    if (stopped_) return {};
    return {std::move(z_).freeze().permute({1, 0, 2}), std::move(lse_).freeze()};
  }

 private:
  bool stop() {
    if (cancelled_ && !stopped_ && cancelled_()) stopped_ = true;
    return stopped_;
  }

  template <class Body>
  void share(std::int64_t count, Body body) const {
    const std::int64_t least = in_.q.size(1) <= kAttentionInPlaceRows ? kFewWorthThreads : kWorthThreads;
    if (in_.q.size(0) * in_.q.size(1) * in_.k.size(1) * in_.v.size(2) >= least)
      return for_each_tile(count, body);
    for (std::int64_t index = 0; index < count; ++index) body(index);
  }

  void heads_at_once(std::int64_t first, std::int64_t heads, float* room, std::int64_t per_head) {
    const std::int64_t tiles = keys_[0].count();
    if (room)
      share(heads * tiles, [&](std::int64_t index) {
        const KeyTiles& keys = keys_[static_cast<std::size_t>(first + index / tiles)];
        if (!stop()) keys.pack(index % tiles, in_.k.size(1), room + index * keys.room());
      });
    share(heads * rows_.count, [&](std::int64_t index) {
      const std::int64_t head = index / rows_.count;                     // its keys stay in the cache
      const std::int64_t piece = rows_.count - 1 - index % rows_.count;  // longest rows first
      const KeyTiles& keys = keys_[static_cast<std::size_t>(first + head)];
      QueryRows rows(in_, keys, first + head, rows_.begin(piece), rows_.end(piece) - rows_.begin(piece));
      if (rows.run(room ? room + head * per_head : nullptr, [this] { return stop(); }))
        rows.finish(z_.data(), lse_.data());
      if (count_) count_->attention += rows.multiply_adds();
    });
  }

  const AttentionInputs& in_;
  const std::function<bool()>& cancelled_;
  OpCount* const count_ = op_count();
  std::atomic<bool> stopped_{false};
  Cut rows_;
  std::vector<KeyTiles> keys_;
  Buffer z_, lse_;
};

}  // namespace

AttentionResult attend(const AttentionInputs& inputs, const std::function<bool()>& cancelled) {
  check_attention(inputs);
  AttentionInputs in = inputs;
  in.q = with_whole_head_rows(in.q);
  in.k = with_whole_head_rows(in.k);
  in.v = with_whole_head_rows(in.v);
  return Attention(in, cancelled).run();
}

}  // namespace attnscope
