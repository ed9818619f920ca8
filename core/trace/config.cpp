#include "core/trace/config.h"

#include "core/base/text.h"

namespace attnscope {

const Tensor* Weights::find(const std::string& name) const {
  const auto at = tensors_.find(name);
  return at == tensors_.end() ? nullptr : &at->second;
}

Tensor Weights::get(const std::string& name) const {
  const Tensor* found = find(name);
  return found ? *found : Tensor();
}

std::int64_t Weights::parameter_count() const {
  std::int64_t total = 0;
  for (const auto& [name, tensor] : tensors_) total += tensor.count();
  return total;
}

std::string_view activation_name(Activation kind) {
  switch (kind) {
    case Activation::gelu_tanh: return "GELU (tanh)";
    case Activation::gelu_exact: return "GELU";
    case Activation::silu: return "SiLU";
    case Activation::relu: return "ReLU";
    case Activation::quick_gelu: return "quick GELU";
  }
  return "";
}

std::vector<std::pair<std::string, std::int64_t>> parameters_by_part(const ModelConfig& config,
                                                                     const Weights& weights) {
  std::vector<std::pair<std::string, std::int64_t>> parts{
      {"embedding", 0}, {"attention", 0}, {"mlp", 0}, {"norms", 0}, {"unembedding", 0}};
  for (const auto& [name, tensor] : weights.all()) {
    const bool head = starts_with(name, "logits.");
    if (head && config.head.tied && name == "logits.weight") continue;  // counted as the embedding table
    const std::size_t part = name.find(".attn.") != std::string::npos  ? 1
                             : name.find(".mlp.") != std::string::npos ? 2
                             : name.find("ln") != std::string::npos    ? 3
                             : head                                    ? 4
                                                                       : 0;
    parts[part].second += tensor.count();
  }
  return parts;
}

}  // namespace attnscope
