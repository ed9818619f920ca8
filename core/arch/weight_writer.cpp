#include "core/arch/weight_writer.h"

#include "core/base/text.h"

namespace attnscope {

Tensor WeightWriter::need(const std::string& canonical) {
  const Tensor* found = weights_.find(canonical);
  if (found) return *found;
  if (!error_) {
    error_ = fail(Code::unsupported, "error.arch.layout_needs", {canonical});
  }
  return {};
}

Tensor WeightWriter::bias_or_zeros(const std::string& canonical, std::int64_t width) const {
  const Tensor* found = weights_.find(canonical + ".bias");
  return found ? *found : Tensor::filled({{Axis::out, width}}, 0.f);
}

void WeightWriter::add_plain(std::string name, Tensor value) {
  if (!value.empty()) tensors_.push_back({std::move(name), std::move(value)});
}

void WeightWriter::linear(const std::string& canonical, const std::string& name, Layout layout, Bias bias) {
  const Tensor weight = need(canonical + ".weight");  // [in, out]
  if (weight.empty()) return;
  add(name + ".weight", layout == Layout::out_in ? weight.transpose() : weight);
  if (bias == Bias::always || has(canonical + ".bias"))
    add(name + ".bias", bias_or_zeros(canonical, weight.size(1)));
}

void WeightWriter::norm(const std::string& canonical, const std::string& name, Bias bias) {
  const Tensor weight = need(canonical + ".weight");
  if (weight.empty()) return;
  add(name + ".weight", weight);
  if (bias == Bias::always || has(canonical + ".bias"))
    add(name + ".bias", bias_or_zeros(canonical, weight.size(0)));
}

void WeightWriter::table(const std::string& canonical, const std::string& name) {
  add(name, need(canonical));
}

Result<std::vector<NamedTensor>> WeightWriter::take() && {
  if (error_) return *std::move(error_);
  return std::move(tensors_);
}

}  // namespace attnscope
