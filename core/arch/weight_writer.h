// The inverse of weight_reader.h: canonical weights become a checkpoint's tensors, under its names, prefix
// and order of rows. Nothing is copied; a missing weight is kept as the first error.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/arch/weight_reader.h"
#include "core/io/writers.h"

namespace attnscope {

class WeightWriter {
 public:
  using Layout = WeightReader::Layout;
  /// Whether a layer has a bias in the file: as the weights have one, or in any case (zeros where they have
  /// none).
  enum class Bias { as_is, always };

  WeightWriter(const Weights& weights, std::string prefix) : weights_(weights), prefix_(std::move(prefix)) {}

  bool has(const std::string& canonical) const { return weights_.find(canonical) != nullptr; }
  /// canonical.weight [in, out] and canonical.bias -> name.weight and name.bias.
  void linear(const std::string& canonical, const std::string& name, Layout layout, Bias bias);
  /// weight of a norm, and its bias with `bias`.
  void norm(const std::string& canonical, const std::string& name, Bias bias);
  /// One tensor as it stands.
  void table(const std::string& canonical, const std::string& name);
  /// Without the prefix.
  void add_plain(std::string name, Tensor value);
  /// The weight; where it is missing the empty tensor, and an error is kept.
  Tensor need(const std::string& canonical);
  /// The bias, or zeros.
  Tensor bias_or_zeros(const std::string& canonical, std::int64_t width) const;

  /// All tensors in the order in which they were added, or the error.
  Result<std::vector<NamedTensor>> take() &&;

 private:
  void add(const std::string& name, Tensor value) { add_plain(prefix_ + name, std::move(value)); }

  const Weights& weights_;
  std::string prefix_;
  std::vector<NamedTensor> tensors_;
  std::optional<Error> error_;
};

}  // namespace attnscope
