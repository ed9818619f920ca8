#include "core/lens/attribution.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/trace/flow.h"
#include "core/trace/row_parts.h"

namespace attnscope {
namespace {

using Direction = std::vector<double>;  // over the features of one row

double dot(const Direction& g, const Tensor& row) {
  double sum = 0;
  for (std::size_t i = 0; i < g.size(); ++i)
    sum += g[i] * static_cast<double>(row.at(static_cast<std::int64_t>(i)));
  return sum;
}

// From a direction over the outputs of y = x W + b to one over its inputs.
Direction through(const Tensor& weight, const Direction& g) {
  Direction out(static_cast<std::size_t>(weight.size(0)), 0.0);
  const Tensor w = weight.is_encoded() ? weight.packed() : weight;
  for (std::int64_t i = 0; i < w.size(0); ++i)
    for (std::int64_t j = 0; j < w.size(1); ++j)
      out[static_cast<std::size_t>(i)] += static_cast<double>(w.at(i, j)) * g[static_cast<std::size_t>(j)];
  return out;
}

// One row of a step of the run.
Tensor row_of(const Trace& trace, const Site& site, std::int64_t row) {
  const Record* record = trace.find(site);
  return record && !record->derived ? record->rows.range(row, row + 1).select(0, 0) : Tensor();
}

// "blocks.0.ln1" of "blocks.0.ln1.out".
std::string without_out(const Site& norm) {
  std::string name = to_text(norm);
  return name.substr(0, name.size() - std::string_view(".out").size());
}

// A norm held at the scale that it had: y = (x - mean) / scale * gain + offset.
struct HeldNorm {
  Direction g;      // over what the norm reads
  double bias = 0;  // what the offset adds
};
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

bool is_norm(const Site& site) { return step_of(site.slot).rule == Rule::norm; }

// Walks from one row of the residual stream down to what wrote it.
class Walk {
 public:
  Walk(const Trace& trace, AttributeBy by, Attribution& out) : trace_(trace), by_(by), out_(out) {}

  // All that the row of `site` is made of, along `g`.
  void follow(const Site& site, std::int64_t row, const Direction& g) {
    if (is_norm(site)) return norm(site, row, g);
    switch (site.slot) {
      case Slot::attn_out: return attention(site, row, g);
      case Slot::mlp_out: return mlp(site, row, g);
      default: break;
    }
    const bool entry = site.layer < 0 || (site.slot == Slot::resid_pre && site.layer == 0);
    const std::vector<Site> made_of = entry ? std::vector<Site>() : flow_inputs(trace_, site);
    if (made_of.empty()) return leaf(site, row, g);
    for (const Site& part : made_of) follow(part, row, g);
  }

  void bias(double value) { bias_ += value; }
  void finish() {
    if (bias_ != 0) out_.parts.push_back({"bias", {}, bias_});
  }
  void hold(const std::string& name) {
    if (std::find(out_.held.begin(), out_.held.end(), name) == out_.held.end()) out_.held.push_back(name);
  }

 private:
  // What enters the first block is one part.
  void leaf(const Site& site, std::int64_t row, const Direction& g) {
    out_.parts.push_back(
        {std::string(stack_prefix(site.stack)) + "embed", {}, dot(g, row_of(trace_, site, row))});
  }

  void norm(const Site& site, std::int64_t row, const Direction& g) {
    if (site.slot == Slot::ln_embed_out) return leaf(site, row, g);
    const HeldNorm held = through_norm(trace_, site, row, g);
    hold(without_out(site) + ".scale");
    bias_ += held.bias;
    follow(flow_inputs(trace_, site).front(), row, held.g);
  }

  Site near(const Site& site, Slot slot) const {
    return site.part == Part::cross ? cross_site(slot, site.layer, site.stack)
                                    : site_of(slot, site.layer, site.stack);
  }

  void linear_bias(const Site& site, const Direction& g) {
    const Tensor offset = trace_.weights().get(to_text(site) + ".bias");
    if (!offset.empty()) out_.parts.push_back({to_text(site) + ".bias", {}, dot(g, offset)});
  }

  void attention(const Site& site, std::int64_t row, const Direction& g) {
    const Site z_site = near(site, Slot::z);
    const Tensor z = trace_.find(z_site)->rows.range(row, row + 1);                      // [head, 1, d_head]
    const Direction into = through(trace_.weights().get(to_text(site) + ".weight"), g);  // [head*d_head]
    const std::int64_t heads = z.size(0), d_head = z.size(2);
    double all = 0;
    for (std::int64_t head = 0; head < heads; ++head) {
      const Direction own(into.begin() + head * d_head, into.begin() + (head + 1) * d_head);
      const double part = dot(own, z.select(0, head).select(0, 0));
      all += part;
      if (by_ == AttributeBy::head || by_ == AttributeBy::neuron)
        out_.parts.push_back({to_text(z_site), {{"head", head}}, part});
      if (by_ == AttributeBy::token) tokens(z_site, head, row, own, part);
    }
    if (by_ == AttributeBy::part) out_.parts.push_back({to_text(z_site), {}, all});
    linear_bias(site, g);
  }

  // A head's part by the keys that it read from; what an edit of z put there stands alone.
  void tokens(const Site& z_site, std::int64_t head, std::int64_t row, const Direction& own, double part) {
    const AttentionState* state = trace_.attention(z_site);
    const AttentionInputs& in = state->in;
    const std::int64_t kv = head * in.v.size(0) / in.q.size(0), keys = in.k.size(1);
    const Tensor pattern = state->stage(ScoreStage::pattern, head, {row, row + 1}, {0, keys});
    double rest = part;
    for (std::int64_t key = 0; key < keys; ++key) {
      const auto weight = static_cast<double>(pattern.at(0, key));
      if (weight == 0) continue;
      double sum = 0;
      for (std::size_t d = 0; d < own.size(); ++d)
        sum += own[d] * static_cast<double>(in.v.at(kv, key, static_cast<std::int64_t>(d)));
      out_.parts.push_back({to_text(z_site), {{"head", head}, {"pos", key}}, weight * sum});
      rest -= weight * sum;
    }
    if (std::fabs(rest) > 1e-4 * std::max(1.0, std::fabs(part)))
      out_.parts.push_back({to_text(z_site), {{"head", head}}, rest});
  }

  void mlp(const Site& site, std::int64_t row, const Direction& g) {
    if (by_ != AttributeBy::neuron) {
      out_.parts.push_back({to_text(site), {}, dot(g, row_of(trace_, site, row))});
      return;
    }
    const Site post = near(site, Slot::mlp_post);
    const Tensor neurons = row_of(trace_, post, row);  // [d_mlp]
    const Direction into = through(trace_.weights().get(to_text(site) + ".weight"), g);
    for (std::size_t i = 0; i < into.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      const double part = into[i] * static_cast<double>(neurons.at(at));
      if (part != 0) out_.parts.push_back({to_text(post), {{"d_mlp", at}}, part});
    }
    linear_bias(site, g);
  }

  const Trace& trace_;
  AttributeBy by_;
  Attribution& out_;
  double bias_ = 0;
};

// The measure as a direction over the rows that the unembedding reads; caps held as they were.
Direction unembedding_direction(const Trace& trace, const LogitMeasure& measure, std::int64_t row,
                                Walk& walk) {
  const ModelConfig& config = trace.config();
  const std::string base = std::string(stack_prefix(config.stack)) + "logits";
  const Tensor weight = trace.weights().get(base + ".weight"), offset = trace.weights().get(base + ".bias");
  Direction g(static_cast<std::size_t>(weight.size(0)), 0.0);
  const Tensor logits = trace.logits_row(row);
  const auto add = [&](int id, double sign) {
    double factor = sign;
    if (config.head.cap > 0.f) {
      const double capped = static_cast<double>(logits.at(id)) / static_cast<double>(config.head.cap);
      factor *= capped == 0 ? 1.0 : capped / std::atanh(capped);
      walk.hold("logits cap");
    }
    for (std::size_t i = 0; i < g.size(); ++i)
      g[i] += factor * static_cast<double>(config.head.scale) *
              static_cast<double>(weight.at(static_cast<std::int64_t>(i), id));
    if (!offset.empty()) walk.bias(factor * static_cast<double>(offset.at(id)));
  };
  add(measure.target, 1.0);
  if (measure.kind == LogitMeasure::Kind::logit_diff) add(measure.distractor, -1.0);
  return g;
}

// Back through the dense layer, the activation and the norm that stand before some unembeddings.
Direction through_transform(const Trace& trace, std::int64_t row, Direction g, Walk& walk) {
  const ModelConfig& config = trace.config();
  const Site act = trace.main(Slot::head_act), pre = trace.main(Slot::head_pre),
             norm = trace.main(Slot::ln_head_out);
  if (config.head.norm.kind != NormSpec::Kind::none) {
    const HeldNorm held = through_norm(trace, norm, row, g);
    walk.bias(held.bias);
    walk.hold(to_text(trace.main(Slot::ln_head_scale)));
    g = held.g;
  }
  const Tensor before = row_of(trace, pre, row), after = row_of(trace, act, row);
  for (std::size_t i = 0; i < g.size(); ++i) {
    const auto x = static_cast<double>(before.at(static_cast<std::int64_t>(i)));
    g[i] *= x == 0 ? 0.5 : static_cast<double>(after.at(static_cast<std::int64_t>(i))) / x;
  }
  walk.hold(to_text(act));
  const Tensor offset = trace.weights().get(to_text(pre) + ".bias");
  if (!offset.empty()) walk.bias(dot(g, offset));
  return through(trace.weights().get(to_text(pre) + ".weight"), g);
}

Status check(const Trace& trace, const LogitMeasure& measure) {
  if (measure.kind != LogitMeasure::Kind::logit && measure.kind != LogitMeasure::Kind::logit_diff)
    return fail(Code::unsupported, "error.lens.not_a_sum");
  TRY(const double value, measured(measure, trace));
  (void)value;
  if (!trace.complete || trace.weights().all().empty() ||
      trace.find(trace.main(Slot::logits))->rows.count() > 0)
    return fail(Code::unsupported, "error.lens.needs_run");
  return Done{};
}

}  // namespace

Result<Attribution> attribute(const Trace& trace, const LogitMeasure& measure, AttributeBy by) {
  TRY_OK(check(trace, measure));
  Attribution out;
  TRY(out.total, measured(measure, trace));
  Walk walk(trace, by, out);
  const std::int64_t row = row_of(measure, trace);
  Direction g = unembedding_direction(trace, measure, row, walk);
  if (trace.config().head.transform) g = through_transform(trace, row, std::move(g), walk);
  walk.follow(stack_output(trace, trace.config().stack), row, g);
  walk.finish();
  out.rest = out.total;
  for (const LogitPart& part : out.parts) out.rest -= part.value;
  std::stable_sort(out.parts.begin(), out.parts.end(), [&](const LogitPart& a, const LogitPart& b) {
    return (a.step == "bias") < (b.step == "bias");
  });
  return out;
}

}  // namespace attnscope
