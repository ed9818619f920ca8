#include "core/model/tape.h"

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

const Tensor& Tape::value(const Site& site) const {
  const Record* record = trace_.find(site);
  CHECK(record != nullptr && !record->derived);
  return record->value;
}

Tensor Tape::at(const Site& site, Tensor slope) {
  const Record* step = trace_.find(site);
  if (!step) return slope;
  CHECK(slope.sizes() == step->shape);
  Record record;
  record.site = site;
  record.value = slope;
  record.shape = step->shape;
  record.axes = step->axes;
  record.line = step->line;
  records_.push_back(std::move(record));
  return slope;
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

Tensor Tape::norm(const NormSpec& spec, const std::string& name, const Tensor& x, const Tensor& scale,
                  const Tensor& dy) {
  if (spec.kind == NormSpec::Kind::none) return dy;
  const Tensor gain = weight(name + ".weight"), offset = weight(name + ".bias");
  const Tensor rows = as_rows(x);
  const Tensor by = scale.empty() ? apply_norm(spec, gain, offset, rows).scale : scale;  // [pos, 1]
  const NormGrads grads = spec.kind == NormSpec::Kind::layer
                              ? layer_norm_backward(as_rows(dy), rows, by, gain, offset)
                              : rms_norm_backward(as_rows(dy), rows, by, gain, spec.weight_offset);
  if (!grads.weight.empty()) ready(name + ".weight", grads.weight);
  if (!grads.bias.empty()) ready(name + ".bias", grads.bias);
  return x.rank() == 2 ? grads.x : grads.x.split(0, x.axis(0), x.size(0), x.axis(1));
}

void Tape::rows(const std::string& name, std::vector<int> ids, const Tensor& dy) {
  uses_.push_back({name, WeightUse::Kind::rows, {}, dy, std::move(ids)});
}

void Tape::ready(const std::string& name, Tensor slope) {
  uses_.push_back({name, WeightUse::Kind::ready, {}, std::move(slope), {}});
}

}  // namespace attnscope
