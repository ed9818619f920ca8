#include "core/trace/provenance.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "core/base/text.h"
#include "core/trace/flow.h"
#include "core/trace/inside.h"
#include "core/trace/rotary.h"

namespace attnscope {
namespace {

using ProvenanceIndex = std::vector<std::int64_t>;

class Explainer {
 public:
  Explainer(const Trace& trace, const Site& site, ProvenanceIndex index)
      : trace_(trace), site_(site), index_(std::move(index)), rule_(step_of(site.slot).rule) {
    out_.rule = rule_;
    out_.recorded = trace.cell(site, index_);
  }

  // A recording of another program has no weights, and not always the steps before: its numbers stand alone,
  // but for those that follow from its queries and keys here.
  bool stands_alone() const {
    if (!trace_.weights().all().empty()) return false;
    const Record* record = trace_.find(site_);
    return !record->derived || !has(first({Slot::rot_q, Slot::q_norm, Slot::split_q})) ||
           !has(first({Slot::rot_k, Slot::k_norm, Slot::split_k}));
  }

  Explanation run() {
    if (stands_alone()) {
      leaf();
      return std::move(out_);
    }
    switch (rule_) {
      case Rule::lookup: lookup(); break;
      case Rule::sum: sum(); break;
      case Rule::copy: copy(); break;
      case Rule::norm_scale: norm_scale(); break;
      case Rule::norm: norm(); break;
      case Rule::dot: dot(); break;
      case Rule::rotate: rotate(); break;
      case Rule::scale: scaled(); break;
      case Rule::cap: capped(); break;
      case Rule::mask_test: mask_test(); break;
      case Rule::mask: masked(); break;
      case Rule::softmax: softmax(); break;
      case Rule::activation: activation(); break;
      case Rule::product: product(); break;
    }
    const double gap = std::fabs(out_.result - out_.recorded);
    out_.edited = gap > 1e-3 * std::max(1.0, std::fabs(out_.result));
    return std::move(out_);
  }

 private:
  const ModelConfig& config() const { return trace_.config().of(site_.stack); }
  const BlockSpec& block() const { return trace_.config().block_at(site_); }
  const AttentionSpec& attention() const { return trace_.config().attention_at(site_); }
  bool has(const Site& site) const { return trace_.find(site) != nullptr; }
  bool has(Slot slot) const { return has(near(slot)); }

  // A slot of this block (of the same attention, self or cross), or of this stack.
  Site near(Slot slot) const {
    if (step_of(slot).part == Part::model) return site_of(slot, -1, site_.stack);
    return site_.part == Part::cross ? cross_site(slot, site_.layer, site_.stack)
                                     : site_of(slot, site_.layer, site_.stack);
  }
  // The first of these slots that the run holds.
  Site first(std::initializer_list<Slot> slots) const {
    for (const Slot slot : slots)
      if (has(slot)) return near(slot);
    return near(*(slots.end() - 1));
  }
  Source step(const Site& site, ProvenanceIndex index) const {
    return {to_text(site), site, false, index, trace_.cell(site, index)};
  }
  Source weight(const std::string& name, ProvenanceIndex index) const {
    const Tensor* tensor = trace_.weights().find(name);
    return {name, {}, true, index, tensor ? static_cast<double>(tensor->at(index)) : 0.0};
  }
  // "blocks.3.attn.q" + ".weight"
  std::string own(const char* suffix) const { return to_text(site_) + suffix; }
  void add_term(std::vector<Source> factors) {
    Term term{std::move(factors), 1.0};
    for (const Source& factor : term.factors) term.value *= factor.value;
    out_.result += term.value;
    out_.terms.push_back(std::move(term));
  }
  // A term that the result is not a sum of; its value.
  double input(const Source& source) {
    out_.terms.push_back({{source}, source.value});
    return source.value;
  }
  void leaf() { out_.result = out_.recorded; }
  // A soft limit of the result.
  void squash(double cap) {
    out_.asides.push_back({"cap", cap});
    out_.result = cap * std::tanh(out_.result / cap);
  }

  std::string prefix() const { return std::string(stack_prefix(site_.stack)); }

  void lookup() {
    const std::string name = own(".weight");
    if (!trace_.weights().find(name)) return leaf();  // a formula (sinusoidal), not a table
    if (site_.is(StepRole::sinks)) return add_term({weight(name, {index_[0]})});
    const auto at = static_cast<std::size_t>(index_[0]);
    const std::int64_t row = site_.slot == Slot::tok_embed ? trace_.ids_of(site_.stack)[at]
                             : site_.slot == Slot::pos_embed
                                 ? trace_.positions(site_.stack).of(index_[0]) + config().position.offset
                             : at < trace_.input.types.size() ? trace_.input.types[at]
                                                              : 0;
    add_term({weight(name, {row, index_[1]})});
    out_.asides.push_back({"row", static_cast<double>(row)});
  }

  void sum() {
    if (site_.slot == Slot::biased) return biased();
    const std::vector<Site> addends = flow_inputs(trace_, site_);
    if (addends.empty()) return leaf();  // vectors given by the user
    for (const Site& addend : addends) {
      if (addend.slot == Slot::patch_embed && config().patch.class_token)
        class_row(addend);
      else
        add_term({step(addend, index_)});
    }
  }
  // Row 0 is the class token; the patches follow it.
  void class_row(const Site& patches) {
    if (index_[0] == 0)
      add_term({weight(prefix() + "class_embed.weight", {0, index_[1]})});
    else
      add_term({step(patches, {index_[0] - 1, index_[1]})});
  }
  void biased() {
    add_term({step(first({Slot::capped, Slot::scaled}), index_)});
    const AttentionInputs& in = trace_.attention(site_)->in;
    const std::int64_t query = in.first_query + index_[1], key = index_[2];
    if (in.bias.kind == ScoreBias::Kind::buckets) {
      const std::int64_t bucket = in.bias.bucket(query, key);
      add_term({weight(prefix() + "rel_bias.weight", {bucket, index_[0]})});
      out_.asides = {{"bucket", static_cast<double>(bucket)}};
      return;
    }
    const auto addend = static_cast<double>(in.bias.at(index_[0], query, key));
    out_.asides = {{"slope", in.bias.slopes[static_cast<std::size_t>(index_[0])]},
                   {"distance", static_cast<double>(key - query)},
                   {"bias", addend}};
    out_.result += addend;
  }

  void copy() {
    const auto d_head = [&] { return trace_.find(first({Slot::z}))->shape[2]; };
    switch (site_.slot) {
      case Slot::patches: return leaf();  // pixels of the image
      case Slot::merged: return merged();
      case Slot::resid_pre: return add_term({step(flow_inputs(trace_, site_).front(), index_)});
      case Slot::view_q: return unflatten(Slot::q);
      case Slot::view_k: return unflatten(Slot::k);
      case Slot::view_v: return unflatten(Slot::v);
      case Slot::split_q: return add_term({step(first({Slot::view_q}), {index_[1], index_[0], index_[2]})});
      case Slot::split_k: return add_term({step(first({Slot::view_k}), {index_[1], index_[0], index_[2]})});
      case Slot::split_v: return add_term({step(first({Slot::view_v}), {index_[1], index_[0], index_[2]})});
      default:  // concat
        return add_term({step(first({Slot::z}), {index_[1] / d_head(), index_[0], index_[1] % d_head()})});
    }
  }
  // A place kept for the image holds the next row of it, any other place its word.
  void merged() {
    std::int64_t before = 0;
    for (std::int64_t pos = 0; pos < index_[0]; ++pos)
      before += trace_.ids[static_cast<std::size_t>(pos)] == config().image_token ? 1 : 0;
    const bool seen = trace_.ids[static_cast<std::size_t>(index_[0])] == config().image_token;
    if (!seen) return add_term({step(first({Slot::tok_scaled, Slot::tok_embed}), index_)});
    const Site projected = site_of(Slot::projected, -1, Stack::vision);
    const Site rows = has(projected) ? projected : stack_output(trace_, Stack::vision);
    add_term({step(rows, {before, index_[1]})});
  }
  void unflatten(Slot from) {
    const std::int64_t d_head = trace_.find(site_)->shape[2];
    add_term({step(first({from}), {index_[0], index_[1] * d_head + index_[2]})});
  }

  // The row a norm reads and its mean and scale, in double.
  struct Row {
    Site from;
    double mean = 0, scale = 0;
  };
  ProvenanceIndex with_last(std::int64_t last) const {
    ProvenanceIndex at = index_;
    at.back() = last;
    return at;
  }
  bool of_heads() const { return site_.slot == Slot::q_norm || site_.slot == Slot::k_norm; }
  Row norm_row() const {
    Row row;
    row.from = of_heads() ? near(site_.slot == Slot::q_norm ? Slot::split_q : Slot::split_k)
                          : flow_inputs(trace_, site_).front();
    const NormSpec& spec = norm_spec(trace_.config(), site_);
    const std::int64_t width = trace_.find(row.from)->shape.back();
    double sum = 0, squares = 0;
    for (std::int64_t i = 0; i < width; ++i) sum += trace_.cell(row.from, with_last(i));
    if (spec.kind == NormSpec::Kind::layer) row.mean = sum / static_cast<double>(width);
    for (std::int64_t i = 0; i < width; ++i) {
      const double x = trace_.cell(row.from, with_last(i)) - row.mean;
      squares += x * x;
    }
    row.scale = std::sqrt(squares / static_cast<double>(width) + spec.eps);
    return row;
  }

  void norm_scale() {
    const Row row = norm_row();
    const std::int64_t width = trace_.find(row.from)->shape[1];
    for (std::int64_t i = 0; i < width; ++i) add_term({step(row.from, {index_[0], i})});
    out_.asides = {{"mean", row.mean}, {"variance", row.scale * row.scale}};
    out_.result = row.scale;
  }

  void norm() {
    const Row row = norm_row();
    const bool heads = of_heads();
    std::string base = to_text(site_) + ".";
    if (!heads) base.erase(base.size() - std::string_view("out.").size());
    const double x = input(step(row.from, index_));
    const double scale = heads ? row.scale : input(step(*parse_site(base + "scale"), {index_[0], 0}));
    double result = (x - row.mean) / scale;
    if (trace_.weights().find(base + "weight"))
      result *=
          input(weight(base + "weight", {index_.back()})) + norm_spec(trace_.config(), site_).weight_offset;
    if (trace_.weights().find(base + "bias")) result += input(weight(base + "bias", {index_.back()}));
    out_.asides = {{"mean", row.mean}, {"scale", scale}};
    out_.result = result;
  }

  void dot() {
    if (site_.slot == Slot::scores) return score();
    if (site_.slot == Slot::z) return weighted_values();
    const Site from = dot_input();
    const std::string name = own(".weight");
    const Tensor* matrix = trace_.weights().find(name);
    if (!matrix) return leaf();
    for (std::int64_t i = 0; i < matrix->size(0); ++i)
      add_term({step(from, {index_[0], i}), weight(name, {i, index_[1]})});
    if (site_.slot == Slot::logits && config().head.scale != 1.f) {
      out_.result *= config().head.scale;
      out_.asides.push_back({"factor", config().head.scale});
    }
    if (trace_.weights().find(own(".bias"))) add_term({weight(own(".bias"), {index_[1]})});
    if (site_.slot != Slot::logits || config().head.cap <= 0.f) return;
    squash(config().head.cap);
  }
  Site dot_input() const {
    if (site_.slot == Slot::attn_out) return first({Slot::concat});
    if (site_.slot == Slot::mlp_out) return first({Slot::mlp_post});
    const std::vector<Site> from = flow_inputs(trace_, site_);
    return from.empty() ? site_ : from.front();
  }

  // A key or a value as the attention saw it.
  static Source seen(const Site& site, const Tensor& tensor, const ProvenanceIndex& index) {
    return {to_text(site), site, false, index, static_cast<double>(tensor.at(index))};
  }
  void score() {
    const AttentionInputs& in = trace_.attention(site_)->in;
    const std::int64_t head = index_[0], kv_head = head * in.k.size(0) / in.q.size(0);
    const Site query = first({Slot::rot_q, Slot::q_norm, Slot::split_q}),
               keyed = first({Slot::rot_k, Slot::k_norm, Slot::split_k});
    for (std::int64_t i = 0; i < in.q.size(2); ++i)
      add_term({step(query, {head, index_[1], i}), seen(keyed, in.k, {kv_head, index_[2], i})});
  }
  void weighted_values() {
    const AttentionInputs& in = trace_.attention(site_)->in;
    const std::int64_t kv_head = index_[0] * in.v.size(0) / in.q.size(0), keys = in.k.size(1);
    const Site pattern = first({Slot::pattern});
    const Tensor row = trace_.slice(pattern, index_[0], {index_[1], index_[1] + 1}, {0, keys});
    for (std::int64_t key = 0; key < keys; ++key) {
      Source weight{to_text(pattern), pattern, false, {index_[0], index_[1], key}, row.at(0, key)};
      add_term({weight, seen(first({Slot::split_v}), in.v, {kv_head, key, index_[2]})});
    }
  }

  void rotate() {
    const Site from = site_.slot == Slot::rot_q ? first({Slot::q_norm, Slot::split_q})
                                                : first({Slot::k_norm, Slot::split_k});
    const Rotary rotary = rotary_of(trace_, site_);
    const std::int64_t i = index_[2];
    if (i >= 2 * rotary.pairs()) return add_term({step(from, index_)});
    const std::int64_t pair = rotary.pair_of(i);
    const bool lower = i == rotary.first_of(pair);
    const double angle = static_cast<double>(trace_.positions(site_.stack).of(index_[1])) *
                         rotary.frequencies[static_cast<std::size_t>(pair)];
    const Source self = step(from, index_),
                 partner = step(
                     from, {index_[0], index_[1], lower ? rotary.second_of(pair) : rotary.first_of(pair)});
    const double cosine = std::cos(angle) * rotary.magnitude, sine = std::sin(angle) * rotary.magnitude;
    out_.terms = {{{self}, self.value * cosine}, {{partner}, partner.value * (lower ? -sine : sine)}};
    out_.asides = {{"angle", angle}, {"cos", cosine}, {"sin", sine}};
    out_.result = out_.terms[0].value + out_.terms[1].value;
  }

  void scaled() {
    const bool words = site_.slot == Slot::tok_scaled;
    const Slot from = words ? Slot::tok_embed : attention().mask_before_scale ? Slot::masked : Slot::scores;
    add_term({step(near(from), index_)});
    const double factor = words ? config().embed_scale : attention().scale;
    out_.asides = {{"factor", factor}};
    out_.result *= factor;
  }

  void capped() {
    add_term({step(near(Slot::scaled), index_)});
    squash(attention().cap);
  }

  void mask_test() {
    const AttentionInputs& in = trace_.attention(site_)->in;
    out_.result = in.mask.allowed(in.first_query + index_[0], index_[1]) ? 1 : 0;
  }

  void masked() {
    add_term({step(attention().mask_before_scale ? near(Slot::scores)
                                                 : first({Slot::biased, Slot::capped, Slot::scaled}),
                   index_)});
    if (input(step(first({Slot::mask}), {index_[1], index_[2]})) == 0)
      out_.result = -std::numeric_limits<double>::infinity();
  }

  void softmax() {
    const bool words = site_.slot == Slot::probs;
    const bool mask_first = !words && attention().mask_before_scale;
    const Site from = words ? near(Slot::logits) : near(mask_first ? Slot::scaled : Slot::masked);
    const std::int64_t width = trace_.find(from)->shape.back();
    const std::int64_t query = words ? index_[0] : index_[1];
    const Tensor row = words ? trace_.logits_row(query)
                             : trace_.slice(from, index_[0], {query, query + 1}, {0, width}).select(0, 0);
    double high = -std::numeric_limits<double>::infinity(), sum = 0;
    for (std::int64_t i = 0; i < width; ++i) high = std::max(high, static_cast<double>(row.at(i)));
    const bool sinks = !words && has(Slot::sinks);
    const Source sink = sinks ? step(near(Slot::sinks), {index_[0], query, 0}) : Source();
    if (sinks) high = std::max(high, sink.value);
    const auto exponential = [&](std::int64_t i) {
      return std::isinf(high) ? 0.0 : std::exp(row.at(i) - high);
    };
    for (std::int64_t i = 0; i < width; ++i) {
      sum += exponential(i);
      if (!words || i == index_.back())
        out_.terms.push_back({{{to_text(from), from, false, with_last(i), row.at(i)}}, exponential(i)});
    }
    if (sinks) {
      out_.terms.push_back({{sink}, std::exp(sink.value - high)});
      sum += out_.terms.back().value;
    }
    out_.own = words ? 0 : static_cast<int>(index_.back());
    out_.asides = {{"max", high}, {"sum", sum}};
    out_.result = sum > 0 ? exponential(index_.back()) / sum : 0;
  }

  void activation() {
    if (site_.slot == Slot::mlp_post && block().mlp.kind == MlpSpec::Kind::gated) return product();
    const bool head = site_.slot == Slot::head_act;
    const Slot from = head ? Slot::head_pre : site_.slot == Slot::mlp_act ? Slot::mlp_gate : Slot::mlp_pre;
    add_term({step(near(from), index_)});
    out_.result = attnscope::activate(activation_at(trace_.config(), site_), static_cast<float>(out_.result));
  }

  void product() {
    out_.rule = Rule::product;
    add_term({step(first({Slot::mlp_act}), index_), step(first({Slot::mlp_up}), index_)});
  }

  const Trace& trace_;
  Site site_;
  ProvenanceIndex index_;
  Rule rule_;
  Explanation out_;
};

}  // namespace

Result<Explanation> explain(const Trace& trace, const Site& site, const std::vector<std::int64_t>& index) {
  const Record* record = trace.find(site);
  if (!record) return fail(Code::not_found, "error.trace.no_step", {to_text(site)});
  if (!is_cell(index, record->shape))
    return fail(Code::out_of_range, "error.trace.no_cell", {to_text(site), shape_text(record->shape)});
  Explanation explanation = Explainer(trace, site, index).run();
  explanation.cell.site = site;
  for (std::size_t d = 0; d < index.size(); ++d)
    explanation.cell.at.push_back({std::string(axis_name(record->axes[d])), index[d]});
  return explanation;
}

}  // namespace attnscope
