#include "core/model/gradient_flow.h"

#include <algorithm>
#include <cmath>

#include "core/model/gradient_provenance.h"
#include "core/trace/head.h"
#include "core/trace/provenance.h"
#include "core/trace/row_parts.h"

namespace attnscope {
namespace {

bool is_unchanged(const Site& reader) {
  const Rule rule = step_of(reader.slot).rule;
  return rule == Rule::sum || rule == Rule::copy;
}

Range all_of(const Record& record, std::size_t from_last) {
  return {0, record.shape[record.shape.size() - 1 - from_last]};
}

// Through x W back to x: [row, in]; rows that nothing was made of are 0.
Tensor product_share(const Gradients& gradients, const Record& own, const Site& reader) {
  const Record& later = *gradients.find(reader);
  const Tensor weight = gradients.trace().weights().get(to_text(reader) + ".weight");  // [in, out]
  const Range rows = all_of(later, 1), cols = all_of(later, 0);
  const Tensor dy = reader.is(StepRole::logits) ? product_logit_gradients(gradients, rows, cols)
                                                : gradients.passed(reader, 0, rows, cols);
  const Tensor back = linear(dy, weight.transpose(), {}, own.axes[1]);  // [row, in]
  if (back.size(0) >= own.shape[0]) return back;
  std::vector<float> values = back.values();
  values.resize(static_cast<std::size_t>(own.shape[0] * own.shape[1]), 0.f);
  return Tensor::from(std::move(values), {{own.axes[0], own.shape[0]}, {own.axes[1], own.shape[1]}});
}

Tensor share_by_cells(const Gradients& gradients, const Record& own, const Site& reader, std::int64_t head) {
  const Range rows = all_of(own, 1), cols = all_of(own, 0);
  const auto head_axis = std::find(own.axes.begin(), own.axes.end(), Axis::head) - own.axes.begin();
  Buffer out({{Axis::none, rows.size()}, {Axis::none, cols.size()}});
  for (std::int64_t row = 0; row < rows.size(); ++row)
    for (std::int64_t col = 0; col < cols.size(); ++col) {
      std::vector<std::int64_t> index{row, col};
      if (own.shape.size() > 2) index.insert(index.begin() + head_axis, head);
      out.data()[row * cols.size() + col] =
          static_cast<float>(explain_share(gradients, own.site, reader, index).value);
    }
  return std::move(out).freeze();
}

}  // namespace

Site read_by(const Trace& trace, const Site& reader) {
  const Record* record = trace.find(reader);
  const auto why = explain(trace, reader, std::vector<std::int64_t>(record ? record->shape.size() : 0, 0));
  return why && !why->terms.empty() ? why->terms.front().factors.front().site : reader;
}

Rule rule_back(const Trace& trace, const Site& reader) {
  const bool gated =
      reader.is(StepRole::neurons) && trace.config().block_at(reader).mlp.kind == MlpSpec::Kind::gated;
  return gated ? Rule::product : step_of(reader.slot).rule;
}

std::map<Site, std::vector<Site>> gradient_readers(const Gradients& gradients) {
  std::map<Site, std::vector<Site>> out;
  const Trace& trace = gradients.trace();
  const auto note = [&](const Site& reader, const Explanation& why) {
    for (const Term& term : why.terms)
      for (const Source& source : term.factors) {
        if (source.is_weight || !gradients.find(source.site)) continue;
        auto& readers = out[source.site];
        if (std::find(readers.begin(), readers.end(), reader) == readers.end()) readers.push_back(reader);
      }
  };
  for (const Record& record : trace.records()) {
    if (!gradients.find(record.site)) continue;
    std::vector<std::int64_t> index(record.shape.size(), 0);
    if (const auto why = explain(trace, record.site, index)) note(record.site, *why);
    index[index.size() - 2] = record.shape[record.shape.size() - 2] - 1;
    if (const auto why = explain(trace, record.site, index)) note(record.site, *why);
  }
  for (auto& [site, readers] : out) std::stable_partition(readers.begin(), readers.end(), is_unchanged);
  return out;
}

Tensor gradient_share(const Gradients& gradients, const Site& site, const Site& reader, std::int64_t head) {
  const Record *own = gradients.find(site), *later = gradients.find(reader);
  if (!own || !later) return {};
  const Rule rule = rule_back(gradients.trace(), reader);
  if (rule == Rule::dot && own->shape.size() == 2) return product_share(gradients, *own, reader);
  if (rule == Rule::norm) return norm_back(gradients, reader, head, all_of(*own, 1)).result;
  const bool same = (rule == Rule::sum || rule == Rule::copy) && own->shape == later->shape &&
                    own->axes == later->axes && !later->site.is(StepRole::merged);
  if (same) return gradients.passed(reader, head, all_of(*own, 1), all_of(*own, 0));
  return share_by_cells(gradients, *own, reader, head);
}

Tensor added_up(const std::vector<Tensor>& planes, std::size_t first) {
  Tensor out = planes[first];
  for (std::size_t i = first + 1; i < planes.size(); ++i) out = add(out, planes[i]);
  return out;
}

// ---- norms ----------------------------------------------------------------------------------------
namespace {

// The step that holds what the forward divided by; norms of single heads have none.
std::optional<Site> scale_of(const Site& norm) {
  std::string base = to_text(norm);
  if (norm.is(StepRole::head_norm)) return std::nullopt;
  return *parse_site(base.erase(base.size() - 3) + "scale");  // without "out"
}

Tensor norm_gain(const Trace& trace, const Site& norm, std::int64_t width) {
  std::string base = to_text(norm);
  if (!norm.is(StepRole::head_norm)) base.erase(base.size() - 4);  // without ".out"
  const Tensor weight = trace.weights().get(base + ".weight");
  const float offset = norm_spec(trace.config(), norm).weight_offset;
  Buffer out({{Axis::unit, 1}, {Axis::d_model, width}});
  for (std::int64_t i = 0; i < width; ++i) out.data()[i] = weight.empty() ? 1.f : weight.at(i) + offset;
  return std::move(out).freeze();
}

}  // namespace

NormBack norm_back(const Gradients& gradients, const Site& norm, std::int64_t head, Range rows) {
  NormBack out;
  const Record* record = gradients.find(norm);
  if (!record) return out;
  const Trace& trace = gradients.trace();
  const std::int64_t width = record->shape.back();
  const Tensor x = trace.slice(read_by(trace, norm), head, rows, {0, width}).packed();  // [row, d]
  const NormSpec& spec = norm_spec(trace.config(), norm);
  out.centred = spec.kind == NormSpec::Kind::layer;
  out.arrived = gradients.passed(norm, head, rows, {0, width});
  out.gain = norm_gain(trace, norm, width);
  const std::optional<Site> scale = scale_of(norm);
  const Tensor natural = norm_scales(x, spec), means = norm_means(x, spec);
  const Tensor divisors = scale ? trace.slice(*scale, 0, rows, {0, 1}) : natural;
  const std::int64_t count = x.size(0);
  const Shape plane{{x.axis(0), count}, {x.axis(1), width}}, column{{x.axis(0), count}, {Axis::unit, 1}};
  Buffer normed(plane), result(plane), inverse(column), mean(column), mean_with(column);
  for (std::int64_t row = 0; row < count; ++row) {
    const double by = 1.0 / static_cast<double>(divisors.at(row));
    const auto g = [&](std::int64_t i) {
      return static_cast<double>(out.arrived.at(row, i)) * static_cast<double>(out.gain.at(0, i));
    };
    const auto hat = [&](std::int64_t i) { return static_cast<double>(x.at(row, i) - means.at(row)) * by; };
    double sum = 0, with = 0;
    for (std::int64_t i = 0; i < width; ++i) sum += g(i), with += g(i) * hat(i);
    sum = out.centred ? sum / static_cast<double>(width) : 0.0;
    with /= static_cast<double>(width);
    const double sent =  // to the scale as the row made it, where it was edited
        scale ? static_cast<double>(gradients.passed(*scale, {rows.begin + row, 0})) : std::nan("");
    if (!std::isnan(sent))
      with = -sent / (by * by * static_cast<double>(width) * static_cast<double>(natural.at(row)));
    for (std::int64_t i = 0; i < width; ++i) {
      normed.data()[row * width + i] = static_cast<float>(hat(i));
      result.data()[row * width + i] = static_cast<float>(by * (g(i) - sum - hat(i) * with));
    }
    inverse.data()[row] = static_cast<float>(by);
    mean.data()[row] = static_cast<float>(sum);
    mean_with.data()[row] = static_cast<float>(with);
  }
  out.normed = std::move(normed).freeze(), out.result = std::move(result).freeze();
  out.inverse = std::move(inverse).freeze(), out.mean = std::move(mean).freeze();
  out.mean_with = std::move(mean_with).freeze();
  return out;
}

// ---- curves, logits, softmax ----------------------------------------------------------------------

Tensor curve_gradients(const Trace& trace, const Site& site, const Site& reader, std::int64_t head,
                       Range rows, Range cols) {
  const Tensor x = trace.slice(site, head, rows, cols);
  if (x.empty()) return {};
  const Tensor ones = Tensor::filled({{x.axis(0), x.size(0)}, {x.axis(1), x.size(1)}}, 1.f);
  if (step_of(reader.slot).rule != Rule::cap)
    return activate_backward(activation_at(trace.config(), reader), ones, x);
  return soft_cap_backward(ones, trace.slice(reader, head, rows, cols),
                           trace.config().attention_at(reader).cap);
}

Tensor product_logit_gradients(const Gradients& gradients, Range rows, Range cols) {
  const Trace& trace = gradients.trace();
  const HeadSpec& head = trace.config().head;
  Tensor dy = gradients.passed(trace.main(StepRole::logits), 0, rows, cols);
  if (head.cap > 0.f)
    dy = soft_cap_backward(dy, trace.slice(trace.main(StepRole::logits), 0, rows, cols), head.cap);
  return head.scale != 1.f ? scale(dy, head.scale) : dy;
}

Tensor made_pattern(const Trace& trace, const Site& pattern, std::int64_t head, Range rows) {
  const AttentionState* state = trace.attention(pattern);
  if (state && state->edits && state->edits->reach(head))
    return state->edits->before(state->in, state->lse, head, ScoreStage::pattern, rows);
  return trace.slice(pattern, head, rows, {0, trace.find(pattern)->shape.back()});
}

Tensor pattern_row_sums(const Gradients& gradients, const Site& pattern, std::int64_t head, Range rows) {
  const Record* record = gradients.find(pattern);
  if (!record) return {};
  const Range all{0, record->shape.back()};
  const Tensor a = made_pattern(gradients.trace(), pattern, head, rows),
               da = gradients.passed(pattern, head, rows, all);
  Buffer out({{Axis::query, a.size(0)}, {Axis::unit, 1}});
  for (std::int64_t row = 0; row < a.size(0); ++row) {
    double sum = 0;
    for (std::int64_t key = 0; key < a.size(1); ++key)
      sum += static_cast<double>(a.at(row, key)) * static_cast<double>(da.at(row, key));
    out.data()[row] = static_cast<float>(sum);
  }
  return std::move(out).freeze();
}

Tensor sink_shares(const Trace& trace, const Site& pattern, std::int64_t head, Range rows) {
  const Tensor made = made_pattern(trace, pattern, head, rows);
  Buffer out({{Axis::query, made.size(0)}, {Axis::unit, 1}});
  for (std::int64_t row = 0; row < made.size(0); ++row) {
    double share = 1;
    for (std::int64_t key = 0; key < made.size(1); ++key) share -= static_cast<double>(made.at(row, key));
    out.data()[row] = static_cast<float>(share);
  }
  return std::move(out).freeze();
}

}  // namespace attnscope
