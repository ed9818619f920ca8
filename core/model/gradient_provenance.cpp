#include "core/model/gradient_provenance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/text.h"
#include "core/trace/flow.h"
#include "core/trace/inside.h"
#include "core/trace/provenance.h"
#include "core/trace/rotary.h"

namespace attnscope {
namespace {

using Index = std::vector<std::int64_t>;
using Kind = GradientFactor::Kind;

// Sums over a whole vocabulary are shown by their largest terms.
constexpr std::int64_t kMostTerms = 4096, kTermsTold = 64;

// The backward of one reader for one cell: one function per rule of the forward.
class ShareOfCell {
 public:
  ShareOfCell(const Gradients& gradients, const Site& site, const Site& reader, const Index& index)
      : gradients_(gradients), trace_(gradients.trace()), site_(site), reader_(reader), index_(index) {
    out_.from = reader;
    out_.rule = rule_back(trace_, reader);
  }

  GradientShare run() {
    switch (out_.rule) {
      case Rule::dot: dot(); break;
      case Rule::sum: passed_on(); break;
      case Rule::copy: copied(); break;
      case Rule::norm: norm(); break;
      case Rule::rotate: rotate(); break;
      case Rule::scale: add({arrived(index_), number("factor", factor())}); break;
      case Rule::mask: add({arrived(index_)}); break;
      case Rule::cap: curve("cap′"); break;
      case Rule::activation: curve("act′"); break;
      case Rule::product: other_factor(); break;
      case Rule::softmax: softmax(); break;
      default: break;  // no gradient through tables, masks and divisors
    }
    return std::move(out_);
  }

 private:
  // ---- numbers ----
  static GradientFactor number(const char* name, double value) { return {Kind::number, name, {}, {}, value}; }
  GradientFactor gradient(const Site& site, Index index, double value) const {
    return {Kind::gradient, gradient_name(site), site, std::move(index), value};
  }
  GradientFactor arrived(Index index) const {
    const auto value = static_cast<double>(gradients_.passed(reader_, index));
    return gradient(reader_, std::move(index), value);
  }
  GradientFactor step(const Site& site, Index index) const {
    const auto value = static_cast<double>(trace_.cell(site, index));
    return {Kind::step, to_text(site), site, std::move(index), value};
  }
  void add(std::vector<GradientFactor> factors, bool minus = false) {
    GradientTerm term{minus, std::move(factors), minus ? -1.0 : 1.0};
    for (const GradientFactor& factor : term.factors) term.value *= factor.value;
    out_.value += term.value;
    out_.terms.push_back(std::move(term));
  }
  const std::vector<std::int64_t>& reader_shape() const { return trace_.find(reader_)->shape; }

  // ---- products ----
  void dot() {
    if (reader_.slot == Slot::scores) return scores();
    if (reader_.slot == Slot::z) return weighted_values();
    const std::string name = to_text(reader_) + ".weight";
    const Tensor weight = trace_.weights().get(name);  // [in, out]
    const std::int64_t row = index_[0], in = index_[1];
    if (row >= reader_shape()[0]) return;  // one prediction for the whole input
    const bool words = reader_.slot == Slot::logits;
    const HeadSpec& head = trace_.config().head;
    const Range cols{0, reader_shape()[1]};
    const Tensor dy = gradients_.passed(reader_, 0, {row, row + 1}, cols);
    const Tensor column = weight.select(0, in);  // [out]
    const bool capped = words && head.cap > 0.f;
    const Tensor logits = capped ? trace_.logits_row(row) : Tensor();
    const auto steep = [&](std::int64_t out) {
      const double part = capped ? static_cast<double>(logits.at(out)) / static_cast<double>(head.cap) : 0;
      return 1 - part * part;
    };
    const double times = words ? static_cast<double>(head.scale) : 1.0;
    const auto told = largest(cols.end, [&](std::int64_t out) {
      return static_cast<double>(dy.at(0, out)) * static_cast<double>(column.at(out)) * steep(out) * times;
    });
    for (const std::int64_t out : told) {
      std::vector<GradientFactor> factors{
          gradient(reader_, {row, out}, dy.at(0, out)),
          {Kind::weight, name, {}, {in, out}, static_cast<double>(column.at(out))}};
      if (capped) factors.push_back(number("cap′", steep(out)));
      if (times != 1) factors.push_back(number("factor", times));
      add(std::move(factors));
    }
    if (rest_ != 0) add({number("rest", rest_)});
  }
  // All terms of a sum where they are few enough, else the largest; the others are added up in rest_.
  template <class Value>
  std::vector<std::int64_t> largest(std::int64_t count, Value value) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    if (count <= kMostTerms) return order;
    std::vector<double> values;
    for (std::int64_t i = 0; i < count; ++i) values.push_back(value(i));
    const auto size = [&](std::int64_t i) { return std::abs(values[static_cast<std::size_t>(i)]); };
    const auto last = order.begin() + kTermsTold;
    std::partial_sort(order.begin(), last, order.end(),
                      [&](std::int64_t a, std::int64_t b) { return size(a) > size(b); });
    for (auto at = last; at != order.end(); ++at) rest_ += values[static_cast<std::size_t>(*at)];
    order.erase(last, order.end());
    return order;
  }
  // The two steps that scores or z are made of.
  std::pair<Site, Site> pair() const {
    const auto why = explain(trace_, reader_, {0, 0, 0});
    const auto& factors = why->terms.front().factors;
    return {factors[0].site, factors[1].site};
  }
  // The heads of the reader that used the own one, which they may share.
  std::vector<std::int64_t> heads() const {
    std::vector<std::int64_t> out;
    for (std::int64_t head = 0; head < reader_shape()[0]; ++head)
      if (trace_.own_head(site_, head) == index_[0]) out.push_back(head);
    return out;
  }
  void scores() {
    const auto [q, k] = pair();
    const std::int64_t queries = reader_shape()[1], keys = reader_shape()[2], at = index_[1], i = index_[2];
    if (site_ == q) {
      const std::int64_t head = index_[0], own = trace_.own_head(k, head);
      const Tensor ds = gradients_.passed(reader_, head, {at, at + 1}, {0, keys});
      for (std::int64_t key = 0; key < keys; ++key)
        add({gradient(reader_, {head, at, key}, ds.at(0, key)), step(k, {own, key, i})});
      return;
    }
    for (const std::int64_t head : heads()) {
      const Tensor ds = gradients_.passed(reader_, head, {0, queries}, {at, at + 1});
      for (std::int64_t query = 0; query < queries; ++query)
        add({gradient(reader_, {head, query, at}, ds.at(query, 0)), step(q, {head, query, i})});
    }
  }
  void weighted_values() {
    const auto [pattern, v] = pair();
    if (site_ == pattern) {
      const std::int64_t own = trace_.own_head(v, index_[0]);
      for (std::int64_t i = 0; i < reader_shape()[2]; ++i)
        add({arrived({index_[0], index_[1], i}), step(v, {own, index_[2], i})});
      return;
    }
    const std::int64_t queries = reader_shape()[1], key = index_[1];
    for (const std::int64_t head : heads()) {
      const Tensor a = trace_.slice(pattern, head, {0, queries}, {key, key + 1});
      for (std::int64_t query = 0; query < queries; ++query) {
        const double weight = a.at(query, 0);
        add({{Kind::step, to_text(pattern), pattern, {head, query, key}, weight},
             arrived({head, query, index_[2]})});
      }
    }
  }

  // ---- passed on ----
  void passed_on() {
    // The class token stands above the patches.
    const ModelConfig& stack = trace_.config().of(site_.stack);
    const bool below = site_.slot == Slot::patch_embed && stack.patch.class_token;
    add({arrived(below ? Index{index_[0] + 1, index_[1]} : index_)});
  }
  void copied() {
    const auto width = [&] { return reader_shape().back(); };
    switch (reader_.slot) {
      case Slot::merged: return merged();
      case Slot::view_q:
      case Slot::view_k:
      case Slot::view_v: return add({arrived({index_[0], index_[1] / width(), index_[1] % width()})});
      case Slot::split_q:
      case Slot::split_k:
      case Slot::split_v: return add({arrived({index_[1], index_[0], index_[2]})});
      case Slot::concat: {
        const std::int64_t d_head = trace_.find(site_)->shape[2];
        return add({arrived({index_[1], index_[0] * d_head + index_[2]})});
      }
      default: return add({arrived(index_)});
    }
  }
  // Rows of an image go to the places kept for them; words to all others.
  void merged() {
    const int image = trace_.config().of(reader_.stack).image_token;
    const auto rows = static_cast<std::int64_t>(trace_.ids.size());
    const bool words = site_.stack == reader_.stack;
    std::int64_t seen = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
      const bool kept = trace_.ids[static_cast<std::size_t>(row)] == image;
      const bool own = words ? !kept && row == index_[0] : kept && seen == index_[0];
      if (own) add({arrived({row, index_[1]})});
      seen += kept ? 1 : 0;
    }
  }

  // ---- the rest ----
  void norm() {
    const bool heads = index_.size() > 2;
    const std::int64_t row = index_[index_.size() - 2], col = index_.back();
    const NormBack back = norm_back(gradients_, reader_, heads ? index_[0] : 0, {row, row + 1});
    const GradientFactor by = number("1/σ", back.inverse.at(0));
    add({arrived(index_), number("γ", back.gain.at(0, col)), by});
    if (back.centred) add({number("mean g", back.mean.at(0)), by}, true);
    add({number("x̂", back.normed.at(0, col)), number("mean g·x̂", back.mean_with.at(0)), by}, true);
  }
  void rotate() {
    const Rotary rotary = rotary_of(trace_, reader_);
    const std::int64_t i = index_[2];
    if (i >= 2 * rotary.pairs()) return add({arrived(index_)});
    const std::int64_t pair = rotary.pair_of(i);
    const bool lower = i == rotary.first_of(pair);
    const double angle = static_cast<double>(trace_.positions(site_.stack).of(index_[1])) *
                         rotary.frequencies[static_cast<std::size_t>(pair)];
    add({arrived(index_), number("cos", std::cos(angle) * rotary.magnitude)});
    add({arrived({index_[0], index_[1], lower ? rotary.second_of(pair) : rotary.first_of(pair)}),
         number("sin", std::sin(angle) * rotary.magnitude)},
        !lower);
  }
  double factor() const {
    return reader_.slot == Slot::tok_scaled ? trace_.config().of(site_.stack).embed_scale
                                            : trace_.config().attention_at(reader_).scale;
  }
  void curve(const char* name) {
    const bool heads = index_.size() > 2;
    const std::int64_t row = index_[index_.size() - 2], col = index_.back();
    const Tensor steep =
        curve_gradients(trace_, site_, reader_, heads ? index_[0] : 0, {row, row + 1}, {col, col + 1});
    add({arrived(index_), number(name, steep.at(0, 0))});
  }
  void other_factor() { add({arrived(index_), step(attnscope::other_factor(site_), index_)}); }
  void softmax() {
    const std::int64_t query = index_[1];
    const Tensor sum = pattern_row_sums(gradients_, reader_, index_[0], {query, query + 1});
    if (site_.slot == Slot::sinks)
      return add({number("p_sink", sink_shares(trace_, reader_, index_[0], {query, query + 1}).at(0)),
                  number("Σ A ⊙ dA", sum.at(0))},
                 true);
    const Tensor made = made_pattern(trace_, reader_, index_[0], {query, query + 1});
    GradientFactor a = step(reader_, index_);
    if (const double own = made.at(0, index_[2]); own != a.value) a = number("A", own);  // it was edited
    add({a, arrived(index_)});
    add({a, number("Σ A ⊙ dA", sum.at(0))}, true);
  }

  const Gradients& gradients_;
  const Trace& trace_;
  const Site& site_;
  const Site& reader_;
  const Index& index_;
  GradientShare out_;
  double rest_ = 0;  // sum of the terms that are not listed
};

// (p - t) of the counted rows, each by its part of the mean.
GradientShare explain_loss(const Gradients& gradients, const Site& logits, const Index& index) {
  GradientShare out;
  out.from = logits;
  out.rule = Rule::softmax;
  const Objective& objective = gradients.objective();
  const int target = objective.targets[static_cast<std::size_t>(index[0])];
  if (target < 0) return out;
  const Trace& trace = gradients.trace();
  const Tensor row = trace.logits_row(index[0]);
  double high = row.at(0), sum = 0;
  for (std::int64_t i = 0; i < row.size(0); ++i) high = std::max(high, static_cast<double>(row.at(i)));
  for (std::int64_t i = 0; i < row.size(0); ++i) sum += std::exp(static_cast<double>(row.at(i)) - high);
  const double p = std::exp(static_cast<double>(row.at(index[1])) - high) / sum;
  const double by =
      objective.factor != 0 ? objective.factor : 1.0 / static_cast<double>(gradients.loss().counted);
  const double wanted = (index[1] == target ? 1 - objective.smoothing : 0.0) +
                        objective.smoothing / static_cast<double>(row.size(0));
  const GradientFactor share{Kind::number, "1/n", {}, {}, by};
  const Site probs = trace.main(Slot::probs);
  const bool there = trace.find(probs) != nullptr;
  const GradientFactor said{there ? Kind::step : Kind::number, there ? to_text(probs) : "p", probs, index, p};
  out.terms.push_back({false, {said, share}, p * by});
  if (wanted > 0) out.terms.push_back({true, {{Kind::number, "t", {}, {}, wanted}, share}, -wanted * by});
  for (const GradientTerm& term : out.terms) out.value += term.value;
  return out;
}

}  // namespace

Site other_factor(const Site& factor) {
  return factor.with(factor.slot == Slot::mlp_act ? Slot::mlp_up : Slot::mlp_act);
}

GradientShare explain_share(const Gradients& gradients, const Site& site, const Site& reader,
                            const std::vector<std::int64_t>& index) {
  return ShareOfCell(gradients, site, reader, index).run();
}

Result<GradientExplanation> explain_gradient(const Gradients& gradients, const std::vector<Site>& readers,
                                             const Site& site, const std::vector<std::int64_t>& index) {
  const Record* record = gradients.find(site);
  if (!record) return fail(Code::not_found, "error.model.no_gradient", {gradient_name(site)});
  if (!is_cell(index, record->shape))
    return fail(Code::out_of_range, "error.trace.no_cell", {gradient_name(site), shape_text(record->shape)});
  GradientExplanation out;
  out.recorded = gradients.cell(site, index);
  if (site.slot == Slot::logits) out.shares.push_back(explain_loss(gradients, site, index));
  for (const Site& reader : readers) out.shares.push_back(explain_share(gradients, site, reader, index));
  for (const GradientShare& share : out.shares) out.result += share.value;
  return out;
}

}  // namespace attnscope
