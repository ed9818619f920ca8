#include "core/lens/held_path.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/trace/flow.h"

namespace attnscope {

double dot(const Direction& g, const Tensor& row) {
  double sum = 0;
  for (std::size_t i = 0; i < g.size(); ++i)
    sum += g[i] * static_cast<double>(row.at(static_cast<std::int64_t>(i)));
  return sum;
}

Direction times(const Direction& row, const Tensor& weight) {
  const Tensor w = weight.is_encoded() ? weight.packed() : weight;
  Direction out(static_cast<std::size_t>(w.size(1)), 0.0);
  for (std::int64_t i = 0; i < w.size(0); ++i)
    for (std::int64_t j = 0; j < w.size(1); ++j)
      out[static_cast<std::size_t>(j)] +=
          row[static_cast<std::size_t>(i)] * static_cast<double>(w.data()[i * w.stride(0) + j * w.stride(1)]);
  return out;
}

Direction through(const Tensor& weight, const Direction& g) {
  Direction out(static_cast<std::size_t>(weight.size(0)), 0.0);
  const Tensor w = weight.is_encoded() ? weight.packed() : weight;
  const std::int64_t down = w.stride(0), across = w.stride(1);
  if (down < across) {  // a transposed view: its columns lie together
    for (std::int64_t j = 0; j < w.size(1); ++j)
      for (std::int64_t i = 0; i < w.size(0); ++i)
        out[static_cast<std::size_t>(i)] +=
            static_cast<double>(w.data()[i * down + j * across]) * g[static_cast<std::size_t>(j)];
    return out;
  }
  for (std::int64_t i = 0; i < w.size(0); ++i)
    for (std::int64_t j = 0; j < w.size(1); ++j)
      out[static_cast<std::size_t>(i)] +=
          static_cast<double>(w.data()[i * down + j * across]) * g[static_cast<std::size_t>(j)];
  return out;
}

Tensor recorded_row(const Trace& trace, const Site& site, std::int64_t row) {
  const Record* record = trace.find(site);
  return record && !record->derived ? record->rows.range(row, row + 1).select(0, 0) : Tensor();
}

std::string without_out(const Site& norm) {
  std::string name = to_text(norm);
  return name.substr(0, name.size() - std::string_view(".out").size());
}

HeldNorm through_norm(const Trace& trace, const Site& out, std::int64_t row, const Direction& g) {
  const std::string base = without_out(out);
  const NormSpec& spec = norm_spec(trace.config(), out);
  const Tensor gain = trace.weights().get(base + ".weight"), offset = trace.weights().get(base + ".bias");
  const double scale = static_cast<double>(trace.cell(*parse_site(base + ".scale"), {row, 0}));
  HeldNorm held{g, 0};
  double mean = 0;
  for (std::size_t i = 0; i < g.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    if (!offset.empty()) held.bias += g[i] * static_cast<double>(offset.at(at));
    if (!gain.empty())
      held.g[i] *= static_cast<double>(gain.at(at)) + static_cast<double>(spec.weight_offset);
    held.g[i] /= scale;
    mean += held.g[i] / static_cast<double>(g.size());
  }
  if (spec.kind == NormSpec::Kind::layer)
    for (double& x : held.g) x -= mean;
  return held;
}

Direction part_through_norm(const Trace& trace, const Site& out, std::int64_t row, Direction part) {
  const std::string base = without_out(out);
  const NormSpec& spec = norm_spec(trace.config(), out);
  const Tensor gain = trace.weights().get(base + ".weight");
  const double scale = static_cast<double>(trace.cell(*parse_site(base + ".scale"), {row, 0}));
  double mean = 0;
  for (const double x : part) mean += x / static_cast<double>(part.size());
  if (spec.kind != NormSpec::Kind::layer) mean = 0;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const double by = gain.empty() ? 1.0
                                   : static_cast<double>(gain.at(static_cast<std::int64_t>(i))) +
                                         static_cast<double>(spec.weight_offset);
    part[i] = (part[i] - mean) / scale * by;
  }
  return part;
}

bool edit_reaches(const Trace& trace, const Site& site) {
  return std::any_of(trace.edits.begin(), trace.edits.end(), [&](const auto& edit) {
    const NumberEdit* number = edit->number();
    if (!number || number->where.kind != Target::Kind::step) return false;
    return number->where.site == site ||
           (is_norm(site) && to_text(number->where.site).starts_with(without_out(site) + "."));
  });
}

double added_by_edit(const Trace& trace, const Site& site, std::int64_t row, const Direction& g,
                     double made) {
  constexpr double kSameSum = 1e-4;  // relative: of a sum in another order
  const double all = dot(g, recorded_row(trace, site, row));
  return std::fabs(all - made) > kSameSum * std::max(1.0, std::fabs(all)) ? all - made : 0;
}

std::vector<Direction> written_by_heads(const Trace& trace, const Site& attention_out, std::int64_t row) {
  const Tensor z = trace.find(attention_out.near(StepRole::head_out))->rows.range(row, row + 1),
               weight = trace.weights().get(to_text(attention_out) + ".weight"),
               w = weight.is_encoded() ? weight.packed() : weight;  // [head*d_head, d_model]
  const std::int64_t d_head = z.size(2);                            // of [head, 1, d_head]
  std::vector<Direction> out;
  for (std::int64_t head = 0; head < z.size(0); ++head) {
    Direction own;
    for (std::int64_t d = 0; d < d_head; ++d) own.push_back(static_cast<double>(z.at(head, 0, d)));
    out.push_back(times(own, w.slice(0, head * d_head, (head + 1) * d_head)));
  }
  return out;
}

bool is_norm(const Site& site) { return step_of(site.slot).rule == Rule::norm; }

void hold_once(std::vector<std::string>& held, const std::string& name) {
  if (std::find(held.begin(), held.end(), name) == held.end()) held.push_back(name);
}

double held_gate(double before, double after) { return before == 0 ? 0.5 : after / before; }

namespace {

// The measure as a direction over the rows that the unembedding reads; caps held as they were.
Direction unembedding_direction(const Trace& trace, const LogitMeasure& measure, HeldMeasure& out) {
  const ModelConfig& config = trace.config();
  const std::string base = std::string(stack_prefix(config.stack)) + "logits";
  const Tensor weight = trace.weights().get(base + ".weight"), offset = trace.weights().get(base + ".bias");
  Direction g(static_cast<std::size_t>(weight.size(0)), 0.0);
  const Tensor logits = trace.logits_row(out.row);
  const auto add = [&](int id, double sign) {
    double factor = sign;
    if (config.head.cap > 0.f) {
      const double capped = static_cast<double>(logits.at(id)) / static_cast<double>(config.head.cap);
      factor *= capped == 0 ? 1.0 : capped / std::atanh(capped);
      hold_once(out.held, "logits cap");
    }
    for (std::size_t i = 0; i < g.size(); ++i)
      g[i] += factor * static_cast<double>(config.head.scale) *
              static_cast<double>(weight.at(static_cast<std::int64_t>(i), id));
    if (!offset.empty()) out.bias += factor * static_cast<double>(offset.at(id));
  };
  add(measure.target, 1.0);
  if (measure.kind == LogitMeasure::Kind::logit_diff) add(measure.distractor, -1.0);
  return g;
}

// Back through the dense layer, the activation and the norm that stand before some unembeddings.
Direction through_transform(const Trace& trace, std::int64_t row, Direction g, HeldMeasure& out) {
  const ModelConfig& config = trace.config();
  const Site act = trace.main(slot_of(StepRole::head, Rule::activation)), pre = trace.main(StepRole::head),
             norm = trace.main(StepKind::head);
  if (config.head.norm.kind != NormSpec::Kind::none) {
    const HeldNorm held = through_norm(trace, norm, row, g);
    out.bias += held.bias;
    hold_once(out.held, without_out(norm) + ".scale");
    g = held.g;
  }
  const Tensor before = recorded_row(trace, pre, row), after = recorded_row(trace, act, row);
  for (std::size_t i = 0; i < g.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    g[i] *= held_gate(static_cast<double>(before.at(at)), static_cast<double>(after.at(at)));
  }
  hold_once(out.held, to_text(act));
  const Tensor offset = trace.weights().get(to_text(pre) + ".bias");
  if (!offset.empty()) out.bias += dot(g, offset);
  return through(trace.weights().get(to_text(pre) + ".weight"), g);
}

Status check(const Trace& trace, const LogitMeasure& measure) {
  if (measure.kind != LogitMeasure::Kind::logit && measure.kind != LogitMeasure::Kind::logit_diff)
    return fail(Code::unsupported, "error.lens.not_a_sum");
  TRY(const double value, measured(measure, trace));
  (void)value;
  if (!trace.complete || trace.weights().all().empty() ||
      trace.find(trace.main(StepRole::logits))->rows.count() > 0)
    return fail(Code::unsupported, "error.lens.needs_run");
  return Done{};
}

}  // namespace

Result<HeldMeasure> held_measure(const Trace& trace, const LogitMeasure& measure) {
  TRY_OK(check(trace, measure));
  HeldMeasure out;
  TRY(out.total, measured(measure, trace));
  out.row = row_of(measure, trace);
  out.g = unembedding_direction(trace, measure, out);
  if (trace.config().head.transform) out.g = through_transform(trace, out.row, std::move(out.g), out);
  return out;
}

}  // namespace attnscope
