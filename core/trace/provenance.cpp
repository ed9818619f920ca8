#include "core/trace/provenance.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "core/base/text.h"

namespace attnscope {
namespace {

using Index = std::vector<std::int64_t>;

class Explainer {
 public:
  Explainer(const Trace& trace, const Site& site, Index index)
      : trace_(trace), site_(site), index_(std::move(index)), rule_(step_of(site.slot).rule) {
    out_.rule = rule_;
    out_.recorded = trace.cell(site, index_);
  }

  Explanation run() {
    switch (rule_) {
      case Rule::lookup: lookup(); break;
      case Rule::sum: sum(); break;
      case Rule::copy: copy(); break;
      case Rule::norm_scale: norm_scale(); break;
      case Rule::norm: norm(); break;
      case Rule::dot: dot(); break;
      case Rule::rotate: rotate(); break;
      case Rule::scale: scaled(); break;
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
  const BlockSpec& block() const { return trace_.config().blocks[static_cast<std::size_t>(site_.layer)]; }
  bool has(Slot slot, int layer) const { return trace_.find(site_of(slot, layer, site_.stack)) != nullptr; }

  // The site of the first of these slots that the run holds, in this block (or in the model for model slots).
  Site first(std::initializer_list<Slot> slots) const {
    for (const Slot slot : slots) {
      const int layer = step_of(slot).part == Part::model ? -1 : site_.layer;
      if (has(slot, layer)) return site_of(slot, layer, site_.stack);
    }
    return site_;
  }
  Source step(const Site& site, Index index) const {
    return {to_text(site), site, false, index, trace_.cell(site, index)};
  }
  Source weight(const std::string& name, Index index) const {
    const Tensor* tensor = trace_.weights().find(name);
    return {name, {}, true, index, tensor ? static_cast<double>(tensor->at(index)) : 0.0};
  }
  // "blocks.3.attn.q" + ".weight"
  std::string own(const char* suffix) const {
    std::string text = to_text(site_);
    return text + suffix;
  }
  void add_term(std::vector<Source> factors) {
    Term term{std::move(factors), 1.0};
    for (const Source& factor : term.factors) term.value *= factor.value;
    out_.result += term.value;
    out_.terms.push_back(std::move(term));
  }
  void leaf() { out_.result = out_.recorded; }

  void lookup() {
    const bool token = site_.slot == Slot::tok_embed;
    const std::string name = own(".weight");
    if (!trace_.weights().find(name)) return leaf();  // a formula (sinusoidal), not a table
    const std::int64_t row =
        token ? trace_.ids[static_cast<std::size_t>(index_[0])] : trace_.first_pos + index_[0];
    add_term({weight(name, {row, index_[1]})});
    out_.asides.push_back({"row", static_cast<double>(row)});
  }

  void sum() {
    std::vector<Site> addends;
    if (site_.slot == Slot::embed) {
      for (const Slot slot : {Slot::tok_embed, Slot::pos_embed, Slot::type_embed})
        if (has(slot, -1)) addends.push_back(site_of(slot, -1, site_.stack));
      if (addends.empty()) return leaf();  // vectors given by the user
    } else if (site_.slot == Slot::resid_mid) {
      addends = {first({Slot::resid_pre}), first({Slot::attn_out})};
    } else {
      addends.push_back(first({Slot::resid_mid, Slot::resid_pre}));
      if (has(Slot::mlp_out, site_.layer)) addends.push_back(first({Slot::mlp_out}));
    }
    for (const Site& addend : addends) add_term({step(addend, index_)});
  }

  void copy() {
    const auto d_head = [&] { return trace_.find(first({Slot::z}))->shape[2]; };
    switch (site_.slot) {
      case Slot::resid_pre: {
        const Site before = site_.layer == 0 ? site_of(Slot::embed, -1, site_.stack)
                                             : site_of(Slot::resid_post, site_.layer - 1, site_.stack);
        return add_term({step(before, index_)});
      }
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
  void unflatten(Slot from) {
    const std::int64_t d_head = trace_.find(site_)->shape[2];
    add_term({step(first({from}), {index_[0], index_[1] * d_head + index_[2]})});
  }

  // The row a norm reads and its mean and scale, in double.
  struct Row {
    Site from;
    double mean = 0, scale = 0;
  };
  Row norm_row() const {
    Row row;
    const bool final = step_of(site_.slot).part == Part::model;
    if (final) {
      const int last = trace_.config().n_layers() - 1;
      row.from = has(Slot::resid_post, last) ? site_of(Slot::resid_post, last, site_.stack)
                                             : site_of(Slot::embed, -1, site_.stack);
    } else {
      const bool second = site_.slot == Slot::ln2_scale || site_.slot == Slot::ln2_out;
      row.from = second ? first({Slot::resid_mid, Slot::resid_pre}) : first({Slot::resid_pre, Slot::embed});
    }
    const NormSpec& spec = final ? trace_.config().final_norm : block().norm;
    const std::int64_t width = trace_.find(row.from)->shape[1];
    double sum = 0, squares = 0;
    for (std::int64_t i = 0; i < width; ++i) sum += trace_.cell(row.from, {index_[0], i});
    if (spec.kind == NormSpec::Kind::layer) row.mean = sum / static_cast<double>(width);
    for (std::int64_t i = 0; i < width; ++i) {
      const double x = trace_.cell(row.from, {index_[0], i}) - row.mean;
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
    const bool final = site_.slot == Slot::ln_final_out;
    const NormSpec& spec = final ? trace_.config().final_norm : block().norm;
    std::string base = to_text(site_);
    base.erase(base.size() - std::string_view("out").size());
    Site scale_site = site_;
    scale_site.slot = final                         ? Slot::ln_final_scale
                      : site_.slot == Slot::ln1_out ? Slot::ln1_scale
                                                    : Slot::ln2_scale;
    const Source x = step(row.from, index_), scale = step(scale_site, {index_[0], 0});
    add_term({x});
    out_.terms.push_back({{scale}, scale.value});
    double result = (x.value - row.mean) / scale.value;
    if (trace_.weights().find(base + "weight")) {
      const Source gamma = weight(base + "weight", {index_[1]});
      out_.terms.push_back({{gamma}, gamma.value});
      result *= gamma.value + spec.weight_offset;
    }
    if (trace_.weights().find(base + "bias")) {
      const Source beta = weight(base + "bias", {index_[1]});
      out_.terms.push_back({{beta}, beta.value});
      result += beta.value;
    }
    out_.asides = {{"mean", row.mean}, {"scale", scale.value}};
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
    if (trace_.weights().find(own(".bias"))) add_term({weight(own(".bias"), {index_[1]})});
  }
  Site dot_input() const {
    switch (site_.slot) {
      case Slot::q:
      case Slot::k:
      case Slot::v: return first({Slot::ln1_out, Slot::resid_pre, Slot::embed});
      case Slot::attn_out: return first({Slot::concat});
      case Slot::mlp_out: return first({Slot::mlp_post});
      case Slot::logits: {
        if (has(Slot::ln_final_out, -1)) return site_of(Slot::ln_final_out, -1, site_.stack);
        return site_of(Slot::resid_post, trace_.config().n_layers() - 1, site_.stack);
      }
      default: return first({Slot::ln2_out, Slot::resid_mid, Slot::resid_pre});
    }
  }

  // Keys and values of a decode step stand in the cache, which the attention state holds whole.
  Source cached(Slot slot, const Tensor& tensor, Index index) const {
    const Site site = first({slot});
    Index row = index;
    row[1] -= trace_.first_pos;
    Source source = row[1] >= 0 ? step(site, row) : Source{to_text(site), site, false, index, 0};
    source.value = tensor.at(index);
    return source;
  }
  void score() {
    const AttentionInputs& in = trace_.attention(site_)->in;
    const std::int64_t head = index_[0], kv_head = head * in.k.size(0) / in.q.size(0);
    const Slot key_slot = has(Slot::rot_k, site_.layer) ? Slot::rot_k : Slot::split_k;
    const Site query = first({Slot::rot_q, Slot::split_q});
    for (std::int64_t i = 0; i < in.q.size(2); ++i)
      add_term({step(query, {head, index_[1], i}), cached(key_slot, in.k, {kv_head, index_[2], i})});
  }
  void weighted_values() {
    const AttentionInputs& in = trace_.attention(site_)->in;
    const std::int64_t kv_head = index_[0] * in.v.size(0) / in.q.size(0), keys = in.k.size(1);
    const Site pattern = first({Slot::pattern});
    const Tensor row = trace_.slice(pattern, index_[0], {index_[1], index_[1] + 1}, {0, keys});
    for (std::int64_t key = 0; key < keys; ++key) {
      Source weight{to_text(pattern), pattern, false, {index_[0], index_[1], key}, row.at(0, key)};
      add_term({weight, cached(Slot::split_v, in.v, {kv_head, key, index_[2]})});
    }
  }

  void rotate() {
    const Site from = first({site_.slot == Slot::rot_q ? Slot::split_q : Slot::split_k});
    const RopeSpec& rope = trace_.config().position.rope;
    const std::int64_t d_head = trace_.find(from)->shape[2];
    const auto frequencies = rope_frequencies(rope, d_head);
    const std::int64_t half = static_cast<std::int64_t>(frequencies.size()), i = index_[2];
    if (i >= 2 * half) return add_term({step(from, index_)});
    const bool lower = i < half;
    const double angle =
        static_cast<double>(trace_.first_pos + index_[1]) * frequencies[static_cast<std::size_t>(i % half)];
    const Source self = step(from, index_),
                 partner = step(from, {index_[0], index_[1], lower ? i + half : i - half});
    const double sine = lower ? -std::sin(angle) : std::sin(angle);
    out_.terms = {{{self}, self.value * std::cos(angle)}, {{partner}, partner.value * sine}};
    out_.asides = {{"angle", angle}, {"cos", std::cos(angle)}, {"sin", sine}};
    out_.result = out_.terms[0].value + out_.terms[1].value;
  }

  void scaled() {
    const bool mask_first = block().attention.mask_before_scale;
    add_term({step(first({mask_first ? Slot::masked : Slot::scores}), index_)});
    const double factor = block().attention.scale;
    out_.asides = {{"factor", factor}};
    out_.result *= factor;
  }

  void mask_test() {
    const AttentionInputs& in = trace_.attention(site_)->in;
    out_.result = in.mask.allowed(in.first_query + index_[0], index_[1]) ? 1 : 0;
  }

  void masked() {
    const bool mask_first = block().attention.mask_before_scale;
    add_term({step(first({mask_first ? Slot::scores : Slot::scaled}), index_)});
    const Source allowed = step(first({Slot::mask}), {index_[1], index_[2]});
    out_.terms.push_back({{allowed}, allowed.value});
    if (allowed.value == 0) out_.result = -std::numeric_limits<double>::infinity();
  }

  void softmax() {
    const bool words = site_.slot == Slot::probs;
    const bool mask_first = !words && block().attention.mask_before_scale;
    const Site from =
        words ? site_of(Slot::logits, -1, site_.stack) : first({mask_first ? Slot::scaled : Slot::masked});
    const std::int64_t width = trace_.find(from)->shape.back();
    const std::int64_t query = words ? index_[0] : index_[1];
    const Tensor row = words ? trace_.logits_row(query)
                             : trace_.slice(from, index_[0], {query, query + 1}, {0, width}).select(0, 0);
    double high = -std::numeric_limits<double>::infinity(), sum = 0;
    for (std::int64_t i = 0; i < width; ++i) high = std::max(high, static_cast<double>(row.at(i)));
    const auto exponential = [&](std::int64_t i) {
      return std::isinf(high) ? 0.0 : std::exp(row.at(i) - high);
    };
    for (std::int64_t i = 0; i < width; ++i) {
      sum += exponential(i);
      Index at = index_;
      at.back() = i;
      if (!words || i == index_.back())
        out_.terms.push_back({{{to_text(from), from, false, at, row.at(i)}}, exponential(i)});
    }
    out_.own = words ? 0 : static_cast<int>(index_.back());
    out_.asides = {{"max", high}, {"sum", sum}};
    out_.result = sum > 0 ? exponential(index_.back()) / sum : 0;
  }

  void activation() {
    if (site_.slot == Slot::mlp_post && block().mlp.kind == MlpSpec::Kind::gated) return product();
    add_term({step(first({site_.slot == Slot::mlp_act ? Slot::mlp_gate : Slot::mlp_pre}), index_)});
    out_.result = attnscope::activate(block().mlp.activation, static_cast<float>(out_.result));
  }

  void product() {
    out_.rule = Rule::product;
    add_term({step(first({Slot::mlp_act}), index_), step(first({Slot::mlp_up}), index_)});
  }

  const Trace& trace_;
  Site site_;
  Index index_;
  Rule rule_;
  Explanation out_;
};

}  // namespace

Result<Explanation> explain(const Trace& trace, const Site& site, const std::vector<std::int64_t>& index) {
  const Record* record = trace.find(site);
  if (!record) {
    return fail(Code::not_found, format("This run has no step called %s.", to_text(site).c_str()),
                "Choose a step of the timeline.");
  }
  bool inside = index.size() == record->shape.size();
  for (std::size_t d = 0; inside && d < index.size(); ++d)
    inside = index[d] >= 0 && index[d] < record->shape[d];
  if (!inside) {
    return fail(Code::out_of_range,
                format("%s has the shape %s: there is no such cell.", to_text(site).c_str(),
                       shape_text(record->shape).c_str()),
                "Choose an index inside the shape.");
  }
  Explanation explanation = Explainer(trace, site, index).run();
  explanation.cell.site = site;
  for (std::size_t d = 0; d < index.size(); ++d)
    explanation.cell.at.push_back({std::string(axis_name(record->axes[d])), index[d]});
  return explanation;
}

}  // namespace attnscope
