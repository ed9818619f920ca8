#include "core/lens/attention_plane.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/ops/mask.h"
#include "core/trace/inside.h"
#include "core/trace/stage_edits.h"

namespace attnscope {
namespace {

constexpr std::int64_t kAttentionPlaneBand = 64;
constexpr float kHidden = -std::numeric_limits<float>::infinity();

PlaneRequest attention_plane_clamped(const Trace& trace, PlaneRequest request) {
  const Record* record = trace.find(request.site);
  request.rows = cut_to(request.rows, record ? record->shape[1] : 0);
  request.cols = cut_to(request.cols, record ? record->shape[2] : 0);
  return request;
}

// Pattern [query, key] with the masked cells at -inf; nonzero weights at masked cells (edits) stay.
Tensor with_masked_marked(const Tensor& pattern, const Tensor& mask) {
  if (mask.empty()) return pattern;
  std::vector<float> cells = pattern.values();
  const std::vector<float> allowed = mask.values();
  for (std::size_t i = 0; i < cells.size(); ++i)
    cells[i] = cells[i] == 0 && allowed[i] == 0 ? kHidden : cells[i];
  return Tensor::from(std::move(cells), {{Axis::query, pattern.size(0)}, {Axis::key, pattern.size(1)}});
}

// `first` [query, 1]: the weights on key 0, of the same rows.
Tensor renormalised(const Tensor& plane, const Tensor& first, std::int64_t first_col) {
  std::vector<float> cells = plane.values();
  const std::int64_t cols = plane.size(1);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const float rest = 1.f - first.at(at / cols, 0);
    if (first_col + at % cols == 0)
      cells[i] = kHidden;
    else if (std::isfinite(cells[i]))
      cells[i] = rest > 1e-6f ? cells[i] / rest : 0.f;
  }
  return Tensor::from(std::move(cells), {{Axis::query, plane.size(0)}, {Axis::key, cols}});
}

// The cell that represents both: the larger magnitude, any number before a masked cell, NaN before all.
float stronger(float one, float other) {
  const float left = one == kHidden ? -1.f : std::fabs(one),
              right = other == kHidden ? -1.f : std::fabs(other);
  return !std::isnan(one) && !(right <= left) ? other : one;
}

// The strongest of every block of columns, of rows that lie in one block.
void pool_rows(const Tensor& band, std::int64_t first_row, std::int64_t block, std::vector<float>& cells,
               std::int64_t width) {
  const Tensor packed = band.packed();
  const std::int64_t rows = packed.size(0), cols = packed.size(1);
  std::vector<float> strongest;
  for (std::int64_t row = 0; row < rows;) {
    const std::int64_t at = (first_row + row) / block, end = std::min(rows, (at + 1) * block - first_row);
    const float* from = packed.data() + row * cols;
    strongest.assign(from, from + cols);
    for (++row, from += cols; row < end; ++row, from += cols)
      for (std::int64_t col = 0; col < cols; ++col)
        strongest[static_cast<std::size_t>(col)] =
            stronger(strongest[static_cast<std::size_t>(col)], from[col]);
    float* to = cells.data() + at * width;
    for (std::int64_t col = 0; col < cols; ++to) {
      float most = *to;
      for (const std::int64_t next = std::min(cols, col + block); col < next; ++col)
        most = stronger(most, strongest[static_cast<std::size_t>(col)]);
      *to = most;
    }
  }
}

struct Band {
  Tensor numbers, mask;  // as the trace has them; no mask where the stage needs none
  Tensor plane;          // masked cells marked, the first token hidden
};

// `request` is clamped.
Band read_band(const Trace& trace, const PlaneRequest& request);

// A masked weight counts as 0; a masked score has no number to subtract.
float change(float now, float old, bool pattern) {
  if (now == kHidden && old == kHidden) return kHidden;
  const float from = pattern && old == kHidden ? 0.f : old, to = pattern && now == kHidden ? 0.f : now;
  return std::isinf(from) ? -from : to - from;
}

// New minus old, cell by cell.
Tensor changed_plane(const Tensor& now, const PlaneRequest& request) {
  const Against& before = *request.before;
  const auto read = [&](Range rows, Range cols) {
    return read_band(*before.trace, {request.site, request.head, rows, cols, request.without_first}).plane;
  };
  const Tensor old =
      before.shifted ? aligned_plane(&before.rows, request.rows, &before.keys, request.cols, kHidden, read)
                     : read(request.rows, request.cols);
  const std::vector<float> was = old.values();
  std::vector<float> cells = now.values();
  const bool pattern = request.site.is(StepRole::pattern);
  std::size_t i = 0;
  for (std::int64_t row = request.rows.begin; row < request.rows.end; ++row)
    for (std::int64_t col = request.cols.begin; col < request.cols.end; ++col, ++i) {
      const bool alone = before.shifted && !(before.rows.matches(row) && before.keys.matches(col));
      cells[i] = alone ? kHidden : change(cells[i], was[i], pattern);
    }
  return Tensor::from(std::move(cells), {{Axis::query, now.size(0)}, {Axis::key, now.size(1)}});
}

Band read_band(const Trace& trace, const PlaneRequest& request) {
  Band band;
  band.numbers = trace.slice(request.site, request.head, request.rows, request.cols);
  if (band.numbers.empty() || band.numbers.count() == 0) return band;
  band.plane = band.numbers;
  if (request.site.is(StepRole::pattern)) {
    band.mask = trace.slice(request.site.near(StepRole::mask), 0, request.rows, request.cols);
    band.plane = with_masked_marked(band.plane, band.mask);
    if (request.without_first) {
      const Tensor first = trace.slice(request.site, request.head, request.rows, {0, 1});  // [query, 1]
      band.plane = renormalised(band.plane, first, request.cols.begin);
    }
  }
  if (request.before) band.plane = changed_plane(band.plane, request);
  return band;
}

// The attentions that are read, where all keys behind the last visible one of their rows are masked;
// else none.
std::vector<const AttentionState*> that_end_early(const Trace& trace, const PlaneRequest& request) {
  const Against* before = request.before.get();
  const auto stage = score_stage(request.site.slot);
  const bool masked = stage == ScoreStage::masked || stage == ScoreStage::pattern;
  if (!masked || (before && before->shifted)) return {};
  std::vector<const AttentionState*> out;
  for (const Trace* one : {&trace, before ? before->trace.get() : nullptr}) {
    if (!one) continue;
    const Record* record = one->find(request.site);
    const AttentionState* state = one->attention(request.site);
    if (!record || !record->derived || !state || (state->edits && state->edits->reach(request.head)))
      return {};
    out.push_back(state);
  }
  return out;
}

}  // namespace

bool is_attention_stage(Slot slot) { return is_score_plane(slot) && role_of(slot) != StepRole::mask; }

std::vector<Slot> attention_stages(const Trace& trace, const Site& of) {
  std::vector<Slot> stages;
  for (const Record& record : trace.records())
    if (record.site.stack == of.stack && record.site.layer == of.layer && record.site.part == of.part &&
        is_attention_stage(record.site.slot))
      stages.push_back(record.site.slot);
  return stages;
}

std::shared_ptr<const Against> against(const Trace& now, std::shared_ptr<const Trace> before,
                                       const Site& site) {
  if (!before) return nullptr;
  const Record *one = now.find(site), *other = before->find(site);
  if (!one || !other || one->shape[0] != other->shape[0]) return nullptr;
  Against out;
  out.rows = align_rows(now, *before, rows_stack(site, Axis::query));
  out.keys = align_rows(now, *before, rows_stack(site, Axis::key));
  const auto fit = [](Alignment& map, std::int64_t rows, std::int64_t others) {
    map.to_b.resize(static_cast<std::size_t>(rows), -1);
    for (std::int64_t& partner : map.to_b)
      if (partner >= others) partner = -1;
  };
  fit(out.rows, one->shape[1], other->shape[1]);
  fit(out.keys, one->shape[2], other->shape[2]);
  if (out.rows.matched() == 0 || out.keys.matched() == 0) return nullptr;
  out.shifted = !out.rows.identity() || !out.keys.identity();
  out.trace = std::move(before);
  return std::make_shared<const Against>(std::move(out));
}

Tensor attention_plane(const Trace& trace, const PlaneRequest& asked) {
  if (!is_attention_stage(asked.site.slot) || !trace.find(asked.site)) return {};
  return read_band(trace, attention_plane_clamped(trace, asked)).plane;
}

std::vector<double> row_sums(const Tensor& plane) {
  std::vector<double> sums(static_cast<std::size_t>(plane.empty() ? 0 : plane.size(0)));
  for (std::size_t row = 0; row < sums.size(); ++row)
    for (std::int64_t key = 0; key < plane.size(1); ++key) {
      const float cell = plane.at(static_cast<std::int64_t>(row), key);
      if (!(std::isinf(cell) && cell < 0)) sums[row] += static_cast<double>(cell);
    }
  return sums;
}

PooledPlane pooled_plane(const Trace& trace, const PlaneRequest& asked, std::int64_t side,
                         const std::function<bool()>& go_on, const BandVisitor& visitor,
                         std::int64_t most_rows) {
  const Record* record = is_attention_stage(asked.site.slot) ? trace.find(asked.site) : nullptr;
  if (!record || asked.head < 0 || asked.head >= record->shape[0]) return {};
  const std::int64_t queries = record->shape[1], keys = record->shape[2];
  const AttentionState* state = trace.attention(asked.site);
  const std::int64_t first_query = state ? state->in.first_query : 0;
  const std::vector<const AttentionState*> ends_early = that_end_early(trace, asked);
  PooledPlane out;
  out.block = std::max<std::int64_t>(1, (std::max(queries, keys) + side - 1) / side);
  out.row_stride = std::max<std::int64_t>(1, (queries + most_rows - 1) / most_rows);
  const std::int64_t height = (queries + out.block - 1) / out.block,
                     width = (keys + out.block - 1) / out.block;
  std::vector<float> cells(static_cast<std::size_t>(height * width), kHidden);
  PlaneRequest request = asked;
  request.cols = {0, keys};
  const std::int64_t step = out.row_stride > 1 ? out.row_stride : kAttentionPlaneBand;
  for (std::int64_t row = 0; row < queries; row += step) {
    if (go_on && !go_on()) return {};
    request.rows = {row, std::min(queries, row + (out.row_stride > 1 ? 1 : kAttentionPlaneBand))};
    if (!ends_early.empty()) request.cols.end = 1;
    for (const AttentionState* one : ends_early) {
      const Range at{one->in.first_query + request.rows.begin, one->in.first_query + request.rows.end};
      request.cols.end = std::max(request.cols.end, reachable_span(one->in.mask, at.begin, at.end, keys).end);
    }
    const Band band = read_band(trace, request);  // [rows, key]
    pool_rows(band.plane, row, out.block, cells, width);
    if (visitor) visitor(band.numbers, band.mask, first_query + row);
  }
  out.cells = Tensor::from(std::move(cells), {{Axis::query, height}, {Axis::key, width}});
  return out;
}

}  // namespace attnscope
