#include "core/model/tape.h"

#include <algorithm>
#include <cmath>

#include "core/model/model.h"
#include "core/trace/head.h"

namespace attnscope {
namespace {

// [head, pos, d_head] as rows [head*pos, d_head].
Tensor as_rows(const Tensor& x) {
  if (x.rank() == 2) return x;
  const Tensor flat = x.packed();
  return Tensor::borrow(std::make_shared<Tensor>(flat), flat.data(),
                        Shape{{x.axis(1), x.size(0) * x.size(1)}, {x.axis(2), x.size(2)}});
}

bool changes(const Edit& edit, const Site& site) {
  const NumberEdit* number = edit.number();
  return number && number->where.kind == Target::Kind::step && number->where.site == site;
}

// What a step held before its own edits: the run up to there once more, without them.
Tensor unedited(const Trace& trace, const Site& site) {
  Tensor out;
  std::atomic<bool> found = false;
  RunOptions options;
  options.edits = edits_of_steps(trace);
  std::erase_if(options.edits, [&](const auto& edit) { return changes(*edit, site); });
  options.cancel = &found;
  options.on_record = [&](const Record& record) {
    if (record.site != site) return;
    out = record.value();
    found = true;
  };
  const auto run = Model(trace.shared_config(), trace.shared_weights()).run(trace.input, options);
  if (out.empty()) throw EditRefused{run.error()};
  return out;
}

}  // namespace

Tensor sum_of(const Tensor& a, const Tensor& b) {
  if (a.empty()) return b;
  return b.empty() ? a : add(a, b);
}

bool is_edited(const Trace& trace, const Site& site) {
  return std::any_of(trace.edits.begin(), trace.edits.end(),
                     [&](const auto& edit) { return changes(*edit, site); });
}

Edits edits_of_steps(const Trace& trace) {
  Edits out;
  for (const auto& edit : trace.edits) {
    const bool step = edit->number() && edit->number()->where.kind == Target::Kind::step;
    if (edit->mask() || step) out.push_back(edit);
  }
  return out;
}

Tensor through_edits(const Trace& trace, const Site& site, Tensor gradient,
                     const std::function<Tensor()>& unedited) {
  const Stack rows = rows_stack(site, Axis::pos);
  const auto* attention_mask = rows == Stack::enc      ? &trace.input.source_attention_mask
                               : rows == Stack::vision ? nullptr
                                                       : &trace.input.attention_mask;
  const auto must = [](auto result) {
    if (!result) throw EditRefused{result.error()};
    return *std::move(result);
  };
  const RowFrame frame{0, attention_mask};
  Edits own = trace.edits;
  std::erase_if(own, [&](const auto& edit) { return !changes(*edit, site); });
  std::vector<Tensor> before(own.size());  // what each of them found
  if (std::any_of(own.begin(), own.end(), [](const auto& edit) { return needs_value(*edit->number()); })) {
    Tensor value = unedited();
    for (std::size_t i = 0; i < own.size(); ++i) {
      before[i] = value;
      value = must(apply(*own[i]->number(), value, frame)).value;
    }
  }
  for (std::size_t i = own.size(); i-- > 0;)
    gradient = must(apply_backward(*own[i]->number(), gradient, frame, before[i]));
  return gradient;
}

const Tensor& Tape::value(const Site& site) const {
  const Record* record = trace_.find(site);
  CHECK(record != nullptr && !record->derived);
  return record->value();
}

Tensor Tape::at(const Site& site, Tensor gradient) {
  if (!keeps_steps_) return gradient;
  const Record* step = trace_.find(site);
  if (!step) return gradient;
  CHECK(gradient.sizes() == step->shape);
  records_.push_back({site, gradient, false, step->shape, step->axes, 0, 0});
  Tensor passed = through_edits(trace_, site, std::move(gradient), [&] { return unedited(trace_, site); });
  if (!passed.same_place(records_.back().value())) passed_[site] = passed;
  return passed;
}

Tensor Tape::weighted_values(const Site& z, const AttentionState& state) {
  if (!is_edited(trace_, z)) return value(z);
  return weighted_[z] = attend(state.in).z;
}

void Tape::at(const Site& derived) {
  if (!keeps_steps_) return;
  const Record* step = trace_.find(derived);
  if (!step) return;
  Record record = *step;
  record.begin_ns = record.end_ns = 0;
  records_.push_back(std::move(record));
}

Tensor Tape::project(const std::string& name, const Tensor& x, const Tensor& dy) {
  uses_.push_back({name + ".weight", WeightUse::Kind::product, x, dy, {}});
  return linear(dy, weight(name + ".weight").transpose(), {}, x.axis(1));  // [pos, in]
}

Tensor Tape::norm(const NormSpec& spec, const std::string& name, const Tensor& x, const Site* scale,
                  const Tensor& dy) {
  if (spec.kind == NormSpec::Kind::none) return dy;
  const Tensor gain = weight(name + ".weight"), offset = weight(name + ".bias");
  const Tensor rows = as_rows(x);
  const bool edited = scale && is_edited(trace_, *scale);
  const Tensor natural =
      scale && !edited ? value(*scale) : apply_norm(spec, gain, offset, rows).scale;  // [pos, 1]
  const Tensor by = edited ? value(*scale) : natural;
  const NormGrads grads = spec.kind == NormSpec::Kind::layer
                              ? layer_norm_backward(as_rows(dy), rows, by, gain, offset)
                              : rms_norm_backward(as_rows(dy), rows, by, gain, spec.weight_offset);
  if (!grads.weight.empty()) ready(name + ".weight", grads.weight);
  if (!grads.bias.empty()) ready(name + ".bias", grads.bias);
  if (edited) return through_edited_scale(spec, gain, rows, *scale, natural, as_rows(dy), grads.x);
  return x.rank() == 2 ? grads.x : grads.x.split(0, x.axis(0), x.size(0), x.axis(1));
}

// y = (x - mean) / s * gain + bias with an edited s: the scale's own gradient is passed through its
// edits to the scale as the row made it. Rows whose scale is neither edited nor read keep `dx`.
Tensor Tape::through_edited_scale(const NormSpec& spec, const Tensor& gain, const Tensor& x,
                                  const Site& scale, const Tensor& natural, const Tensor& dy,
                                  const Tensor& dx) {
  const Tensor by = value(scale);
  const std::int64_t count = x.size(0), width = x.size(1);
  const auto g = [&](std::int64_t row, std::int64_t i) {
    const double factor =
        gain.empty() ? 1.0 : static_cast<double>(gain.at(i)) + static_cast<double>(spec.weight_offset);
    return static_cast<double>(dy.at(row, i)) * factor;
  };
  std::vector<double> means(static_cast<std::size_t>(count), 0.0);
  Buffer of_scale({{Axis::pos, count}, {Axis::unit, 1}});
  for (std::int64_t row = 0; row < count; ++row) {
    double& mean = means[static_cast<std::size_t>(row)];
    for (std::int64_t i = 0; i < width && spec.kind == NormSpec::Kind::layer; ++i)
      mean += static_cast<double>(x.at(row, i)) / static_cast<double>(width);
    double sum = 0;
    for (std::int64_t i = 0; i < width; ++i) sum -= g(row, i) * (static_cast<double>(x.at(row, i)) - mean);
    of_scale.data()[row] = static_cast<float>(sum / std::pow(static_cast<double>(by.at(row)), 2));
  }
  const Tensor arrived = std::move(of_scale).freeze();
  const Tensor passed = passed_[scale] = through_edits(trace_, scale, arrived, [&] { return natural; });
  Buffer out({{dx.axis(0), count}, {dx.axis(1), width}});
  dx.read(out.data());
  for (std::int64_t row = 0; row < count; ++row) {
    if (by.at(row) == natural.at(row) && passed.at(row) == arrived.at(row)) continue;
    double centre = 0;
    for (std::int64_t i = 0; i < width && spec.kind == NormSpec::Kind::layer; ++i)
      centre += g(row, i) / static_cast<double>(width);
    const double back = static_cast<double>(passed.at(row)) /
                        (static_cast<double>(width) * static_cast<double>(natural.at(row)));
    for (std::int64_t i = 0; i < width; ++i)
      out.data()[row * width + i] = static_cast<float>(
          (g(row, i) - centre) / static_cast<double>(by.at(row)) +
          back * (static_cast<double>(x.at(row, i)) - means[static_cast<std::size_t>(row)]));
  }
  return std::move(out).freeze();
}

void Tape::rows(const std::string& name, std::vector<int> ids, const Tensor& dy) {
  uses_.push_back({name, WeightUse::Kind::rows, {}, dy, std::move(ids)});
}

void Tape::ready(const std::string& name, Tensor gradient) {
  uses_.push_back({name, WeightUse::Kind::ready, {}, std::move(gradient), {}});
}

}  // namespace attnscope
