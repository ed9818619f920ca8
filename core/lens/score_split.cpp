// One score decomposed: the query's and the key's residual rows as sums of what wrote them.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/lens/attribution.h"
#include "core/lens/held_path.h"
#include "core/trace/flow.h"
#include "core/trace/rotary.h"
#include "core/trace/row_parts.h"

namespace attnscope {
namespace {

using Row = std::vector<double>;
struct NamedRow {
  std::string name;
  Row values;
};

Row values_of(const Trace& trace, const Site& site, std::int64_t row) {
  const std::vector<float> values = trace.find(site)->rows.range(row, row + 1).values();
  return {values.begin(), values.end()};
}

// Every part through a norm that is held at the scale it had; its offset is a part of its own.
void hold_norm(const Trace& trace, const Site& out, std::int64_t row, std::vector<NamedRow>& parts) {
  std::string base = to_text(out);
  base.erase(base.size() - std::string_view(".out").size());
  const NormSpec& spec = norm_spec(trace.config(), out);
  const Tensor gain = trace.weights().get(base + ".weight"), offset = trace.weights().get(base + ".bias");
  const double scale = static_cast<double>(trace.cell(*parse_site(base + ".scale"), {row, 0}));
  for (NamedRow& part : parts) {
    double mean = 0;
    for (const double x : part.values) mean += x / static_cast<double>(part.values.size());
    if (spec.kind != NormSpec::Kind::layer) mean = 0;
    for (std::size_t i = 0; i < part.values.size(); ++i) {
      const double factor = gain.empty() ? 1.0
                                         : static_cast<double>(gain.at(static_cast<std::int64_t>(i))) +
                                               static_cast<double>(spec.weight_offset);
      part.values[i] = (part.values[i] - mean) / scale * factor;
    }
  }
  if (offset.empty()) return;
  const std::vector<float> values = offset.values();
  parts.push_back({base + ".bias", {values.begin(), values.end()}});
}

// What a row of a step of the stream is the sum of.
std::vector<NamedRow> parts_of(const Trace& trace, const Site& site, std::int64_t row) {
  const bool entry = site.layer < 0 || (site.is(StepKind::residual_in) && site.layer == 0);
  const bool written = site.is(StepRole::branch);
  if (is_norm(site) && !site.is(StepKind::norm_embed)) {
    std::vector<NamedRow> parts = parts_of(trace, flow_inputs(trace, site).front(), row);
    hold_norm(trace, site, row, parts);
    return parts;
  }
  const std::vector<Site> from = entry || written ? std::vector<Site>() : flow_inputs(trace, site);
  if (from.empty())
    return {{entry ? std::string(stack_prefix(site.stack)) + "embed" : to_text(site),
             values_of(trace, site, row)}};
  std::vector<NamedRow> parts;
  for (const Site& one : from)
    for (NamedRow& part : parts_of(trace, one, row)) parts.push_back(std::move(part));
  return parts;
}

// Parts of the stream as parts of one head's query or key, rotated where the model rotates.
class HeadSide {
 public:
  HeadSide(const Trace& trace, const Site& pattern, bool query)
      : trace_(trace), pattern_(pattern), hue_(query ? Hue::query : Hue::key) {}

  std::vector<NamedRow> parts(std::int64_t head, std::int64_t row) const {
    const Site flat = pattern_.near(StepRole::projection, hue_);
    std::vector<NamedRow> parts = parts_of(trace_, flow_inputs(trace_, flat).front(), row);
    const Tensor weight = trace_.weights().get(to_text(flat) + ".weight"),
                 offset = trace_.weights().get(to_text(flat) + ".bias");
    const std::int64_t d_head = trace_.find(pattern_.near(StepRole::split, hue_))->shape[2];
    const Tensor own = weight.slice(1, head * d_head, (head + 1) * d_head).packed();  // [in, d_head]
    for (NamedRow& part : parts) part.values = times(part.values, own);
    if (!offset.empty()) {
      const std::vector<float> b = offset.slice(0, head * d_head, (head + 1) * d_head).values();
      parts.push_back({to_text(flat) + ".bias", {b.begin(), b.end()}});
    }
    for (NamedRow& part : parts) {
      norm_head(part.values, head, row);
      rotate_row(part.values, row);
    }
    return parts;
  }

 private:
  static Row times(const Row& row, const Tensor& weight) {
    Row out(static_cast<std::size_t>(weight.size(1)), 0.0);
    for (std::size_t i = 0; i < row.size(); ++i)
      for (std::size_t j = 0; j < out.size(); ++j)
        out[j] += row[i] *
                  static_cast<double>(weight.at(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)));
    return out;
  }
  void norm_head(Row& values, std::int64_t head, std::int64_t row) const {
    const NormSpec& spec = trace_.config().attention_at(pattern_).qk_norm;
    const Site normed = pattern_.near(StepRole::head_norm, hue_);
    if (spec.kind == NormSpec::Kind::none || !trace_.find(normed)) return;
    const Site before = pattern_.near(StepRole::split, hue_);
    const Tensor x =
        trace_.slice(before, head, {row, row + 1}, {0, static_cast<std::int64_t>(values.size())});
    const double scale = static_cast<double>(norm_scales(x.packed(), spec).at(0));
    const Tensor gain = trace_.weights().get(to_text(normed) + ".weight");
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] *= (gain.empty() ? 1.0
                                 : static_cast<double>(gain.at(static_cast<std::int64_t>(i))) +
                                       static_cast<double>(spec.weight_offset)) /
                   scale;
  }
  void rotate_row(Row& values, std::int64_t row) const {
    if (!trace_.config().attention_at(pattern_).position.rotates()) return;
    const Rotary rotary = rotary_of(trace_, pattern_);
    const double at = static_cast<double>(trace_.positions(pattern_.stack).of(row));
    for (std::int64_t pair = 0; pair < rotary.pairs(); ++pair) {
      double& a = values[static_cast<std::size_t>(rotary.first_of(pair))];
      double& b = values[static_cast<std::size_t>(rotary.second_of(pair))];
      const double angle = at * rotary.frequencies[static_cast<std::size_t>(pair)];
      const double cosine = std::cos(angle) * rotary.magnitude, sine = std::sin(angle) * rotary.magnitude;
      const double x = a, y = b;
      a = x * cosine - y * sine;
      b = y * cosine + x * sine;
    }
  }

  const Trace& trace_;
  Site pattern_;
  Hue hue_;
};

}  // namespace

Result<ScoreSplit> split_score(const Trace& trace, const Site& any, std::int64_t head, std::int64_t query,
                               std::int64_t key) {
  const Site scaled = any.with(slot_of(StepKind::scale));
  const AttentionState* state = trace.attention(any);
  const Record* record = trace.find(scaled);
  if (!state || !record || trace.weights().all().empty() || !trace.complete)
    return fail(Code::unsupported, "error.lens.score_run");
  if (head < 0 || head >= record->shape[0] || query < 0 || query >= record->shape[1] || key < 0 ||
      key >= record->shape[2])
    return fail(Code::out_of_range, "error.lens.no_cell", {to_text(scaled)});
  const std::int64_t kv = head * state->in.k.size(0) / state->in.q.size(0);
  const std::vector<NamedRow> q = HeadSide(trace, any, true).parts(head, query),
                              k = HeadSide(trace, any, false).parts(kv, key);
  ScoreSplit out;
  out.total = static_cast<double>(trace.cell(scaled, {head, query, key}));
  if (trace.config().attention_at(any).mask_before_scale)  // then the step may stand behind the mask
    out.total = static_cast<double>(attention_rectangle(state->in, state->lse, ScoreStage::scores, head,
                                                        query, query + 1, key, key + 1)
                                        .at(0)) *
                static_cast<double>(state->in.scale);
  out.rest = out.total;
  for (const NamedRow& from : q) out.query_sources.push_back(from.name);
  for (const NamedRow& from : k) out.key_sources.push_back(from.name);
  for (const NamedRow& a : q)
    for (const NamedRow& b : k) {
      double sum = 0;
      for (std::size_t i = 0; i < a.values.size(); ++i) sum += a.values[i] * b.values[i];
      out.values.push_back(sum * static_cast<double>(state->in.scale));
      out.rest -= out.values.back();
    }
  return out;
}

}  // namespace attnscope
