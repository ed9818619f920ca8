// What a config leaves unused of a file: layers beyond the last one, a head beside a tied embedding, tensors
// that no family asks for. Such a file may be computed otherwise than the person expects, so it is said. Left
// out is what older files carry along (masks, frequencies, positions that are counted anyway) and a second
// copy of the embedding.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/io/tensor_source.h"
#include "core/trace/config.h"

namespace attnscope {

/// A source that remembers what was loaded from it.
class WatchedSource final : public TensorSource {
 public:
  explicit WatchedSource(std::shared_ptr<TensorSource> inner) : inner_(std::move(inner)) {}

  const std::vector<TensorInfo>& infos() const override { return inner_->infos(); }
  const TensorInfo* find(std::string_view name) const override { return inner_->find(name); }
  Result<Tensor> load(std::string_view name) const override {
    loaded_.emplace(name);
    return inner_->load(name);
  }
  Result<Tensor> load_encoded(std::string_view name) const override {
    loaded_.emplace(name);
    return inner_->load_encoded(name);
  }
  Result<std::vector<std::int64_t>> load_ints(std::string_view name) const override {
    loaded_.emplace(name);
    return inner_->load_ints(name);
  }
  const std::map<std::string, std::string>& metadata() const override { return inner_->metadata(); }

  const std::set<std::string, std::less<>>& loaded() const { return loaded_; }

 private:
  std::shared_ptr<TensorSource> inner_;
  mutable std::set<std::string, std::less<>> loaded_;  ///< a model is opened by one thread
};

struct UnusedTensors {
  std::vector<std::string> names;  ///< in the order of the file
  std::vector<Text> warnings;      ///< what to tell a person of them
};
/// The tensors that nobody loaded. `weights` tell a copy of the embedding from a head of its own.
UnusedTensors unused_tensors(const WatchedSource& source, const ModelConfig& config, const Weights& weights);
/// Tensors that are unused as one sentence: whole layers by their number, but for those of `used_layers`
/// ("blocks.0"), whose tensors are named one by one.
Text unused_sentence(const std::vector<std::string>& names, const std::set<std::string>& used_layers = {});

}  // namespace attnscope
