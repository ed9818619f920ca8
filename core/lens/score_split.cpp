// One score decomposed: the query's and the key's residual rows as sums of what wrote them.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/lens/attribution.h"
#include "core/lens/head_side.h"
#include "core/lens/held_path.h"
#include "core/ops/matrices.h"
#include "core/trace/flow.h"

namespace attnscope {
namespace {

using Row = std::vector<double>;
struct SplitRow {
  std::string name;
  Row values;
};

Row values_of(const Trace& trace, const Site& site, std::int64_t row) {
  const std::vector<float> values = trace.find(site)->rows.range(row, row + 1).values();
  return {values.begin(), values.end()};
}

// Every part through a norm that is held at the scale it had; its offset is a part of its own.
void hold_norm(const Trace& trace, const Site& out, std::int64_t row, std::vector<SplitRow>& parts) {
  for (SplitRow& part : parts) part.values = part_through_norm(trace, out, row, std::move(part.values));
  const std::string base = without_out(out);
  const Tensor offset = trace.weights().get(base + ".bias");
  if (offset.empty()) return;
  const std::vector<float> values = offset.values();
  parts.push_back({base + ".bias", {values.begin(), values.end()}});
}

// A row of numbers through rows begin .. of a weight [in, out].
Row through_rows(const Tensor& weight, std::int64_t begin, const Row& values) {
  Row out(static_cast<std::size_t>(weight.size(1)), 0.0);
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = 0; j < out.size() && values[i] != 0; ++j)
      out[j] += values[i] * static_cast<double>(weight.at(begin + static_cast<std::int64_t>(i),
                                                          static_cast<std::int64_t>(j)));
  return out;
}

// What one attention writes into a row, by heads, or by heads and the positions that they read from.
std::vector<SplitRow> head_parts(const Trace& trace, const Site& out, std::int64_t row, ScoreBy by) {
  const Site z_site = out.near(StepRole::head_out);
  const Tensor z = trace.find(z_site)->rows.range(row, row + 1),  // [head, 1, d_head]
      weight = trace.weights().get(to_text(out) + ".weight"),
               offset = trace.weights().get(to_text(out) + ".bias");
  const AttentionState& state = *trace.attention(z_site);
  const std::int64_t heads = z.size(0), d = z.size(2), keys = state.in.k.size(1);
  std::vector<SplitRow> parts;
  for (std::int64_t head = 0; head < heads; ++head) {
    if (by == ScoreBy::head) {
      const std::vector<float> own = z.select(0, head).values();
      parts.push_back({to_text(Cell{z_site, {{"head", head}}}),
                       through_rows(weight, head * d, {own.begin(), own.end()})});
      continue;
    }
    const std::int64_t kv = head * state.in.v.size(0) / heads;
    const Tensor pattern = state.stage(ScoreStage::pattern, head, {row, row + 1}, {0, keys});
    for (std::int64_t key = 0; key < keys; ++key) {
      if (pattern.at(0, key) == 0.f) continue;
      Row moved;
      for (std::int64_t i = 0; i < d; ++i)
        moved.push_back(static_cast<double>(pattern.at(0, key)) *
                        static_cast<double>(state.in.v.at(kv, key, i)));
      parts.push_back(
          {to_text(Cell{z_site, {{"head", head}, {"pos", key}}}), through_rows(weight, head * d, moved)});
    }
  }
  if (offset.empty()) return parts;
  const std::vector<float> values = offset.values();
  parts.push_back({to_text(out) + ".bias", {values.begin(), values.end()}});
  return parts;
}

// What a row of a step of the stream is the sum of.
std::vector<SplitRow> parts_of(const Trace& trace, const Site& site, std::int64_t row, ScoreBy by) {
  const bool entry = site.layer < 0 || (site.is(StepKind::residual_in) && site.layer == 0);
  const bool written = site.is(StepRole::branch);
  if (is_norm(site) && !site.is(StepKind::norm_embed)) {
    std::vector<SplitRow> parts = parts_of(trace, flow_inputs(trace, site).front(), row, by);
    hold_norm(trace, site, row, parts);
    return parts;
  }
  if (by != ScoreBy::part && site.is(StepKind::output) && trace.attention(site))
    return head_parts(trace, site, row, by);
  const std::vector<Site> from = entry || written ? std::vector<Site>() : flow_inputs(trace, site);
  if (from.empty())
    return {{entry ? stream_entry(trace, site.stack) : to_text(site), values_of(trace, site, row)}};
  std::vector<SplitRow> parts;
  for (const Site& one : from)
    for (SplitRow& part : parts_of(trace, one, row, by)) parts.push_back(std::move(part));
  return parts;
}

// Parts of the stream as parts of one head's query or key, rotated where the model rotates.
class HeadSide {
 public:
  HeadSide(const Trace& trace, const Site& pattern, bool query)
      : trace_(trace), pattern_(pattern), hue_(query ? Hue::query : Hue::key) {}

  std::vector<SplitRow> parts(std::int64_t head, std::int64_t row, ScoreBy by) const {
    const Site flat = pattern_.near(StepRole::projection, hue_);
    std::vector<SplitRow> parts = parts_of(trace_, flow_inputs(trace_, flat).front(), row, by);
    const Tensor offset = trace_.weights().get(to_text(flat) + ".bias");
    const std::int64_t d_head = trace_.find(pattern_.near(StepRole::split, hue_))->shape[2];
    const Tensor weight = own(flat, head);  // [in, d_head]
    for (SplitRow& part : parts) part.values = through_rows(weight, 0, part.values);
    if (!offset.empty()) {
      const std::vector<float> b = offset.slice(0, head * d_head, (head + 1) * d_head).values();
      parts.push_back({to_text(flat) + ".bias", {b.begin(), b.end()}});
    }
    for (SplitRow& part : parts) through_head_side(trace_, pattern_, hue_, head, row, part.values);
    return parts;
  }

  // The head's projection as this row of the run reads it, norm and rotation of the head included.
  Matrix64 circuit(std::int64_t head, std::int64_t row) const {
    const Tensor weight = own(pattern_.near(StepRole::projection, hue_), head);
    Matrix64 out{weight.size(0), weight.size(1), {}};
    for (std::int64_t i = 0; i < out.rows; ++i) {
      const std::vector<float> cells = weight.select(0, i).values();
      Row values(cells.begin(), cells.end());
      through_head_side(trace_, pattern_, hue_, head, row, values);
      out.cells.insert(out.cells.end(), values.begin(), values.end());
    }
    return out;
  }
  // What the projection reads.
  Row input(std::int64_t row) const {
    return values_of(trace_, flow_inputs(trace_, pattern_.near(StepRole::projection, hue_)).front(), row);
  }

 private:
  Tensor own(const Site& flat, std::int64_t head) const {
    const std::int64_t d_head = trace_.find(pattern_.near(StepRole::split, hue_))->shape[2];
    return trace_.weights()
        .get(to_text(flat) + ".weight")
        .slice(1, head * d_head, (head + 1) * d_head)
        .packed();
  }
  const Trace& trace_;
  Site pattern_;
  Hue hue_;
};

}  // namespace

namespace {

// The scaled score of a cell. Errors: no such cell, a run without it.
Result<double> score_at(const Trace& trace, const Site& any, std::int64_t head, std::int64_t query,
                        std::int64_t key) {
  const Site scaled = any.with(slot_of(StepKind::scale));
  const AttentionState* state = trace.attention(any);
  const Record* record = trace.find(scaled);
  if (!state || !record || trace.weights().all().empty() || !trace.complete)
    return fail(Code::unsupported, "error.lens.score_run");
  if (head < 0 || head >= record->shape[0] || query < 0 || query >= record->shape[1] || key < 0 ||
      key >= record->shape[2])
    return fail(Code::out_of_range, "error.lens.no_cell", {to_text(scaled)});
  if (!trace.config().attention_at(any).mask_before_scale)
    return static_cast<double>(trace.cell(scaled, {head, query, key}));
  return static_cast<double>(attention_rectangle(state->in, state->lse, ScoreStage::scores, head, query,
                                                 query + 1, key, key + 1)
                                 .at(0)) *
         static_cast<double>(state->in.scale);  // the step may stand behind the mask
}

std::int64_t kv_of(const Trace& trace, const Site& any, std::int64_t head) {
  const AttentionInputs& in = trace.attention(any)->in;
  return head * in.k.size(0) / in.q.size(0);
}

double along_column(const Row& row, const Matrix64& columns, std::int64_t column) {
  double sum = 0;
  for (std::size_t i = 0; i < row.size(); ++i)
    sum += row[i] * columns.at(static_cast<std::int64_t>(i), column);
  return sum;
}

}  // namespace

Result<ScoreSplit> split_score(const Trace& trace, const Site& any, std::int64_t head, std::int64_t query,
                               std::int64_t key, ScoreBy by) {
  ScoreSplit out;
  TRY(out.total, score_at(trace, any, head, query, key));
  out.rest = out.total;
  const std::vector<SplitRow> q = HeadSide(trace, any, true).parts(head, query, by),
                              k = HeadSide(trace, any, false).parts(kv_of(trace, any, head), key, by);
  for (const SplitRow& from : q) out.query_sources.push_back(from.name);
  for (const SplitRow& from : k) out.key_sources.push_back(from.name);
  const auto scale = static_cast<double>(trace.attention(any)->in.scale);
  for (const SplitRow& a : q)
    for (const SplitRow& b : k) {
      double sum = 0;
      for (std::size_t i = 0; i < a.values.size(); ++i) sum += a.values[i] * b.values[i];
      out.values.push_back(sum * scale);
      out.rest -= out.values.back();
    }
  return out;
}

Result<ScoreLoadings> score_loadings(const Trace& trace, const Site& any, std::int64_t head,
                                     std::int64_t query, std::int64_t key) {
  ScoreLoadings out;
  TRY(out.total, score_at(trace, any, head, query, key));
  const HeadSide q(trace, any, true), k(trace, any, false);
  const std::int64_t kv = kv_of(trace, any, head);
  const auto scale = static_cast<double>(trace.attention(any)->in.scale);
  const Row x = q.input(query), y = k.input(key);
  const Matrix64 asks = q.circuit(head, query), answers = k.circuit(kv, key);
  // asks answers^T = (asks V S) U^T with answers = U S V^T; the singular parts of the first factor give both.
  const Singular of_key = singular_parts(answers);
  Matrix64 first = product(asks, of_key.right);
  for (std::int64_t row = 0; row < first.rows; ++row)
    for (std::int64_t i = 0; i < first.cols; ++i)
      first.cells[static_cast<std::size_t>(row * first.cols + i)] *=
          of_key.values[static_cast<std::size_t>(i)];
  const Singular parts = singular_parts(first);
  const Matrix64 key_side = product(of_key.left, parts.right);
  double sum = 0;
  for (std::size_t i = 0; i < parts.values.size(); ++i) {
    const auto column = static_cast<std::int64_t>(i);
    ScoreLoading one{parts.values[i], along_column(x, parts.left, column), along_column(y, key_side, column),
                     0};
    one.value = one.singular * one.query * one.key * scale;
    sum += one.value;
    out.directions.push_back(one);
  }
  // Scores of the biases: the whole, less the part of the rows alone.
  TRY(const ScoreSplit split, split_score(trace, any, head, query, key));
  for (std::size_t i = 0; i < split.values.size(); ++i) {
    const std::string &a = split.query_sources[i / split.key_sources.size()],
                      &b = split.key_sources[i % split.key_sources.size()];
    const std::string q_bias = to_text(any.near(StepRole::projection, Hue::query)) + ".bias",
                      k_bias = to_text(any.near(StepRole::projection, Hue::key)) + ".bias";
    if (a == q_bias || b == k_bias) out.bias += split.values[i];
  }
  out.rest = out.total - out.bias - sum;
  return out;
}

}  // namespace attnscope
