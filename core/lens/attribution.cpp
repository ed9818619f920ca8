#include "core/lens/attribution.h"

#include <algorithm>
#include <cmath>

#include "core/lens/held_path.h"
#include "core/trace/flow.h"

namespace attnscope {
namespace {

constexpr double kGraphRounding = 1e-4;  // relative: of a sum in another order

// Walks from one row of the residual stream down to what wrote it.
class GraphWalk {
 public:
  GraphWalk(const Trace& trace, AttributeBy by, Attribution& out) : trace_(trace), by_(by), out_(out) {}

  // All that the row of `site` is made of, along `g`.
  void follow(const Site& site, std::int64_t row, const Direction& g) {
    if (is_norm(site)) return norm(site, row, g);
    if (site.is(StepRole::branch))
      return site.is(StepKind::output) ? attention(site, row, g) : mlp(site, row, g);
    const bool entry = site.layer < 0 || (site.is(StepKind::residual_in) && site.layer == 0);
    const std::vector<Site> made_of = entry ? std::vector<Site>() : flow_inputs(trace_, site);
    if (made_of.empty()) return leaf(site, row, g);
    if (edit_reaches(trace_, site)) {
      double made = 0;
      for (const Site& part : made_of) made += dot(g, recorded_row(trace_, part, row));
      edited(site, row, g, made);
    }
    for (const Site& part : made_of) follow(part, row, g);
  }

  void bias(double value) { bias_ += value; }
  void finish() {
    if (bias_ != 0) out_.parts.push_back({"bias", {}, bias_});
  }
  void hold(const std::string& name) { hold_once(out_.held, name); }

 private:
  // What enters the first block is one part.
  void leaf(const Site& site, std::int64_t row, const Direction& g) {
    out_.parts.push_back({stream_entry(trace_, site.stack), {}, dot(g, recorded_row(trace_, site, row))});
  }

  void norm(const Site& site, std::int64_t row, const Direction& g) {
    if (site.is(StepKind::norm_embed)) return leaf(site, row, g);
    const HeldNorm held = through_norm(trace_, site, row, g);
    hold(without_out(site) + ".scale");
    bias_ += held.bias;
    const Site read = flow_inputs(trace_, site).front();
    if (edit_reaches(trace_, site))
      edited(site, row, g, held.bias + dot(held.g, recorded_row(trace_, read, row)));
    follow(read, row, held.g);
  }

  double linear_bias(const Site& site, const Direction& g) {
    const Tensor offset = trace_.weights().get(to_text(site) + ".bias");
    if (offset.empty()) return 0;
    out_.parts.push_back({to_text(site) + ".bias", {}, dot(g, offset)});
    return out_.parts.back().value;
  }

  // What an edit put at the end of a branch, a norm or a sum stands alone: the row is more than `made`.
  void edited(const Site& site, std::int64_t row, const Direction& g, double made) {
    const double added = added_by_edit(trace_, site, row, g, made);
    if (added != 0) out_.parts.push_back({to_text(site), {}, added});
  }

  void attention(const Site& site, std::int64_t row, const Direction& g) {
    const Site z_site = site.near(StepRole::head_out);
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
    edited(site, row, g, all + linear_bias(site, g));
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
    if (std::fabs(rest) > kGraphRounding * std::max(1.0, std::fabs(part)))
      out_.parts.push_back({to_text(z_site), {{"head", head}}, rest});
  }

  void mlp(const Site& site, std::int64_t row, const Direction& g) {
    if (by_ != AttributeBy::neuron) {
      out_.parts.push_back({to_text(site), {}, dot(g, recorded_row(trace_, site, row))});
      return;
    }
    const Site post = site.near(StepRole::neurons);
    const Tensor neurons = recorded_row(trace_, post, row);  // [d_mlp]
    const Direction into = through(trace_.weights().get(to_text(site) + ".weight"), g);
    double all = 0;
    for (std::size_t i = 0; i < into.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      const double part = into[i] * static_cast<double>(neurons.at(at));
      all += part;
      if (part != 0) out_.parts.push_back({to_text(post), {{"d_mlp", at}}, part});
    }
    edited(site, row, g, all + linear_bias(site, g));
  }

  const Trace& trace_;
  AttributeBy by_;
  Attribution& out_;
  double bias_ = 0;
};

}  // namespace

std::string stream_entry(const Trace& trace, Stack stack) {
  const Site norm = site_of(slot_of(StepKind::norm_embed), -1, stack);
  return trace.find(norm) ? to_text(norm) : std::string(stack_prefix(stack)) + "embed";
}

bool is_normed_entry(const std::string& part) {
  const Result<Site> site = parse_site(part);
  return site && site->is(StepKind::norm_embed);
}

double close_sum(double total, std::vector<LogitPart>& parts) {
  for (const LogitPart& part : parts) total -= part.value;
  std::stable_partition(parts.begin(), parts.end(), [](const LogitPart& one) { return one.step != "bias"; });
  return total;
}

Result<Attribution> attribute(const Trace& trace, const LogitMeasure& measure, AttributeBy by) {
  TRY(HeldMeasure asked, held_measure(trace, measure));
  Attribution out;
  out.total = asked.total;
  out.held = asked.held;
  GraphWalk walk(trace, by, out);
  walk.bias(asked.bias);
  walk.follow(stack_output(trace, trace.config().stack), asked.row, asked.g);
  walk.finish();
  out.rest = close_sum(out.total, out.parts);
  return out;
}

}  // namespace attnscope
