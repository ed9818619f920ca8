// A source over another one: names, shapes and whole numbers are the other's, the values what a class makes
// of them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/io/tensor_source.h"

namespace attnscope {

class OverSource : public TensorSource {
 public:
  const std::vector<TensorInfo>& infos() const override { return inner_->infos(); }
  const TensorInfo* find(std::string_view name) const override { return inner_->find(name); }
  const std::map<std::string, std::string>& metadata() const override { return inner_->metadata(); }
  Result<std::vector<std::int64_t>> load_ints(std::string_view name) const override {
    return inner_->load_ints(name);
  }

 protected:
  explicit OverSource(std::shared_ptr<const TensorSource> inner) : inner_(std::move(inner)) {}
  /// Of a source that outlives it.
  explicit OverSource(const TensorSource& inner) : inner_(std::shared_ptr<void>(), &inner) {}
  const TensorSource& inner() const { return *inner_; }

 private:
  std::shared_ptr<const TensorSource> inner_;
};

}  // namespace attnscope
