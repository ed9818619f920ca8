// Model: a config and its weights, and the one forward pass over them. It reads like the paper; every step
// goes through the Hook. Errors: inputs that do not fit (ids outside the vocabulary, more tokens than
// positions), and weights that contradict the config, with the tensor's name and both shapes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/model/cone.h"
#include "core/model/expected_weights.h"
#include "core/trace/hook.h"
#include "core/trace/input.h"
#include "core/trace/trace.h"

namespace attnscope {

class Model {
 public:
  Model(std::shared_ptr<const ModelConfig> config, std::shared_ptr<const Weights> weights);
  /// Checks sizes and weights first.
  static Result<std::shared_ptr<const Model>> make(ModelConfig config, Weights weights);

  const ModelConfig& config() const { return *config_; }
  const Weights& weights() const { return *weights_; }
  /// The input as it runs: ids for the rows of an image's own stack, names for the parts of a sequence that
  /// begins with an image (image, prompt), where the input has none.
  Input completed(Input input) const;
  /// The same model with the list of files that it was read from: runs fail once one of them was changed in
  /// place.
  std::shared_ptr<const Model> with_files(std::vector<ReadFile> files) const;
  /// The same model with the texts of its ids.
  std::shared_ptr<const Model> with_texts(std::shared_ptr<const TokenTexts> texts) const;

  /// Whether run() takes this input under these edits.
  Status accepts(const Input& given, const RunOptions& options = {}) const;
  /// One forward pass under options.edits. Where options.base is a run of this model, only what differs from
  /// it is computed. Edits whose place the run does not have stand in Trace::unreached. Errors: an input that
  /// does not fit, an edit that cannot be carried out; a cancelled run gives Code::cancelled.
  Result<std::shared_ptr<const Trace>> run(const Input& given, const RunOptions& options = {}) const;
  /// What such a run would compute.
  Result<Cone> cone(const Input& given, const RunOptions& options) const;

 private:
  struct Prepared;
  Result<Prepared> prepared(const Input& given, const RunOptions& options) const;
  Status check_input(const Input& input) const;
  Status check_source(const Input& input) const;
  Status check_image(const Input& input) const;
  static Status check_masks(const ModelConfig& config, const Input& input, const Edits& edits);

  std::shared_ptr<const ModelConfig> config_;
  std::shared_ptr<const Weights> weights_;
};

}  // namespace attnscope
