// Model: a config and its weights, and the one forward pass over them. It reads like the paper; every step
// goes through the Probe. Refuses inputs that do not fit (ids outside the vocabulary, more tokens than
// positions) with a sentence, and weights that contradict the config with the tensor's name and both shapes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/model/kv_cache.h"
#include "core/trace/input.h"
#include "core/trace/probe.h"
#include "core/trace/trace.h"

namespace attnscope {

/// A weight that a config asks for: its name and logical shape ([in, out] for matrices).
struct WeightShape {
  std::string name;
  std::vector<std::int64_t> shape;
  bool required = true;  ///< biases and norm offsets may be absent
};
std::vector<WeightShape> expected_weights(const ModelConfig& config);
/// Compares every weight with the config.
Status check_weights(const ModelConfig& config, const Weights& weights);

class Model {
 public:
  Model(std::shared_ptr<const ModelConfig> config, std::shared_ptr<const Weights> weights);
  /// Checks sizes and weights first.
  static Result<std::shared_ptr<const Model>> make(ModelConfig config, Weights weights);

  const ModelConfig& config() const { return *config_; }
  const Weights& weights() const { return *weights_; }
  /// The input as it runs: ids for the rows of an image's own stack, names for the parts of a sequence that
  /// begins with an image (image, prompt), where the input does not say.
  Input completed(Input input) const;
  /// The same model with one weight exchanged (shares all others).
  std::shared_ptr<const Model> with_weight(const std::string& name, Tensor value) const;

  /// One forward pass, every step recorded. With a cache, rows are appended to it: the first call prefills,
  /// later calls see all earlier keys and values. A cancelled run gives Code::cancelled.
  Result<std::shared_ptr<const Trace>> run(const Input& given, const RunOptions& options = {},
                                           KvCache* cache = nullptr) const;

 private:
  Status check_input(const Input& input, std::int64_t first_pos) const;
  Status check_source(const Input& input) const;
  Status check_image(const Input& input, std::int64_t first_pos) const;
  Status check_masks(const Input& input, const RunOptions& options, std::int64_t first_pos) const;

  std::shared_ptr<const ModelConfig> config_;
  std::shared_ptr<const Weights> weights_;
};

}  // namespace attnscope
