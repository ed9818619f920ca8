#include "core/model/tape.h"

#include <algorithm>
#include <cmath>

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

}  // namespace

Tensor sum_of(const Tensor& a, const Tensor& b) {
  if (a.empty()) return b;
  return b.empty() ? a : add(a, b);
}

bool is_edited(const Trace& trace, const Site& site) {
  return std::any_of(trace.edits.begin(), trace.edits.end(), [&](const auto& edit) {
    return edit->number() && edit->number()->where.kind == Target::Kind::step &&
           edit->number()->where.site == site;
  });
}

Result<Tensor> through_edits(const Trace& trace, const Site& site, Tensor gradient) {
  const Stack rows = rows_stack(site, Axis::pos);
  const auto* attention_mask = rows == Stack::enc      ? &trace.input.source_attention_mask
                               : rows == Stack::vision ? nullptr
                                                       : &trace.input.attention_mask;
  for (auto edit = trace.edits.rbegin(); edit != trace.edits.rend(); ++edit) {
    const NumberEdit* number = (*edit)->number();
    if (!number || number->where.kind != Target::Kind::step || number->where.site != site) continue;
    TRY(gradient, apply_backward(*number, gradient, {0, attention_mask}));
  }
  return gradient;
}

const Tensor& Tape::value(const Site& site) const {
  const Record* record = trace_.find(site);
  CHECK(record != nullptr && !record->derived);
  return record->value();
}

Tensor Tape::at(const Site& site, Tensor gradient) {
  const Record* step = trace_.find(site);
  if (!step) return gradient;
  CHECK(gradient.sizes() == step->shape);
  records_.push_back({site, gradient, false, step->shape, step->axes, 0, 0, step->line});
  auto passed = through_edits(trace_, site, std::move(gradient));
  if (!passed) throw EditRefused{passed.error()};
  if (!passed->same_place(records_.back().value())) passed_[site] = *passed;
  return *std::move(passed);
}

Tensor Tape::weighted_values(const Site& z, const AttentionState& state) {
  if (!is_edited(trace_, z)) return value(z);
  return weighted_[z] = attend(state.in).z;
}

void Tape::at(const Site& derived) {
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

// y = (x - mean) / s * gain + bias where a person changed s: the scale's own gradient goes back through its
// edits to the scale as the row made it. Rows whose scale was not changed keep `dx`.
Tensor Tape::through_edited_scale(const NormSpec& spec, const Tensor& gain, const Tensor& x,
                                  const Site& scale, const Tensor& natural, const Tensor& dy,
                                  const Tensor& dx) const {
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
  auto passed = through_edits(trace_, scale, std::move(of_scale).freeze());
  if (!passed) throw EditRefused{passed.error()};
  Buffer out({{dx.axis(0), count}, {dx.axis(1), width}});
  dx.read(out.data());
  for (std::int64_t row = 0; row < count; ++row) {
    if (by.at(row) == natural.at(row)) continue;
    double centre = 0;
    for (std::int64_t i = 0; i < width && spec.kind == NormSpec::Kind::layer; ++i)
      centre += g(row, i) / static_cast<double>(width);
    const double back = static_cast<double>(passed->at(row)) /
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
