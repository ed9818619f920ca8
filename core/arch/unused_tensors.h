// Tensors of a file that its config leaves unused: layers beyond the last, a head beside a tied embedding,
// tensors that no family loads. The model may then compute something else than expected: a warning. Left
// out are buffers of older files (masks, frequencies, position ids) and a second
// copy of the embedding.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/io/over_source.h"
#include "core/trace/config.h"

namespace attnscope {

/// A source that records what was loaded from it.
class WatchedSource final : public OverSource {
 public:
  explicit WatchedSource(std::shared_ptr<TensorSource> inner) : OverSource(std::move(inner)) {}

  Result<Tensor> load(std::string_view name) const override { return watched(name, inner().load(name)); }
  Result<Tensor> load_encoded(std::string_view name) const override {
    return watched(name, inner().load_encoded(name));
  }
  Result<std::vector<std::int64_t>> load_ints(std::string_view name) const override {
    loaded_.emplace(name);
    return inner().load_ints(name);
  }

  const std::set<std::string, std::less<>>& loaded() const { return loaded_; }
  /// The tensor of the file that each weight is, or is a part of, by the weight's name. Then clears the
  /// record.
  std::map<std::string, std::string> take_names(const Weights& weights) const {
    std::map<std::string, std::string> out;
    for (const auto& [weight, values] : weights.all())
      for (const auto& [name, tensor] : tensors_)
        if (lies_in(values, tensor)) out.emplace(weight, name);
    tensors_.clear();
    return out;
  }

 private:
  // Compares memory, not numbers; false for encoded tensors.
  static bool lies_in(const Tensor& part, const Tensor& whole) {
    if (part.empty() || whole.empty() || part.is_encoded() || whole.is_encoded()) return false;
    const float *at = part.data(), *begin = whole.data();
    return !std::less<>()(at, begin) && std::less<>()(at, begin + whole.count());
  }
  Result<Tensor> watched(std::string_view name, Result<Tensor> loaded) const {
    loaded_.emplace(name);
    if (loaded) tensors_.emplace_back(name, *loaded);
    return loaded;
  }
  mutable std::set<std::string, std::less<>> loaded_;  ///< a model is opened by one thread
  mutable std::vector<std::pair<std::string, Tensor>> tensors_;
};

struct UnusedTensors {
  std::vector<std::string> names;  ///< in the order of the file
  std::vector<Text> warnings;      ///< warnings for the person about them
};
/// The tensors that were not loaded. `weights` distinguish a copy of the embedding from a head of its own.
UnusedTensors unused_tensors(const WatchedSource& source, const ModelConfig& config, const Weights& weights);
/// Tensors that are unused as one sentence: whole layers by their number, but for those of `used_layers`
/// ("blocks.0"), whose tensors are named one by one.
Text unused_sentence(const std::vector<std::string>& names, const std::set<std::string>& used_layers = {});

}  // namespace attnscope
