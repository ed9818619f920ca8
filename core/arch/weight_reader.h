// Takes a checkpoint's tensors into canonical names: finds the prefix the file uses, checks every shape
// against the config before loading, turns [out, in] storage into [in, out] views. Leftover tensors are left
// alone. Error: integers in the place of weights, except for LLM.int8 (quantisation.h).
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/io/tensor_source.h"
#include "core/trace/config.h"

namespace attnscope {

class WeightReader {
 public:
  /// How a matrix lies in the file.
  enum class Layout { out_in, in_out };

  /// `anchor` is a tensor every file of the family has; the first prefix that finds it is used for all.
  WeightReader(const TensorSource& source, std::vector<std::string> prefixes, const std::string& anchor);

  bool has(const std::string& name) const { return source_.find(prefix_ + name) != nullptr; }
  /// Also looks without the prefix (heads stand beside the base model).
  bool has_plain(const std::string& name) const { return source_.find(name) != nullptr; }

  /// Loads `name` whole as it stands; the shape must be `shape`. A missing tensor is an error.
  Result<Tensor> load(const std::string& name, const std::vector<std::int64_t>& shape) const;
  /// As load, without the prefix.
  Result<Tensor> load_plain(const std::string& name, const std::vector<std::int64_t>& shape) const;

  /// `name`.weight as [in, out].
  Result<Tensor> matrix(const std::string& name, std::int64_t in, std::int64_t width, Layout layout) const;
  /// weight (and bias, when the file has one) of a linear layer -> canonical.weight [in, out], canonical.bias
  /// [out].
  Status linear(Weights& out, const std::string& canonical, const std::string& name, std::int64_t in,
                std::int64_t width, Layout layout) const;
  /// weight and bias of a norm, or gamma and beta as older files call them; the bias where the file has one.
  Status norm(Weights& out, const std::string& canonical, const std::string& name, std::int64_t width) const;
  /// The unembedding -> logits.weight [d_model, vocab]: the embedding table read across where the head is
  /// tied, else `head`.weight, without the prefix; its bias where the file has one.
  Status unembedding(Weights& out, const ModelConfig& config, const std::string& head = "lm_head") const;
  Status table(Weights& out, const std::string& canonical, const std::string& name, std::int64_t rows,
               std::int64_t width) const;

 private:
  const TensorSource& source_;
  std::string prefix_;
};

}  // namespace attnscope
