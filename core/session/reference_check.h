// Whether the program computes what PyTorch does: the forward pass of a shipped model on its first input,
// step by step, against the reference that travels with it (assets/references, scripts/references.sh).
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "core/lens/torch_reference.h"
#include "core/session/document.h"

namespace attnscope {

/// The largest error that a step may have anywhere.
inline constexpr double kReferenceTolerance = 1e-5;

/// The reference of what is open. Errors: none travels with it, a file that does not read, the reference of
/// another model.
Result<TorchReference> reference_of(const OpenedModel& opened);
/// The same from a file. Errors: read_file's, as well.
Result<TorchReference> reference_from(const std::string& path, const OpenedModel& opened);
/// Errors: the reference was made of another input; a document of several sequences.
Status check_input(const TorchReference& reference, const Document& document);

/// What became of one model.
struct ModelCheck {
  std::string model;  ///< "model:storyteller"
  std::string made_by;
  std::vector<StepDifference> steps;
  std::optional<Error> error;  ///< why there is nothing to compare

  TorchVerdict verdict() const { return torch_verdict(steps, kReferenceTolerance); }
  bool good() const { return !error && !verdict().first_wrong; }
};

/// Runs a model on its first input, and compares. Errors stand in the result.
ModelCheck check_model(const std::string& model, const std::atomic<bool>* cancel = nullptr);

/// All shipped models, and their sum.
struct ModelChecks {
  std::vector<ModelCheck> models;
  std::int64_t steps() const;
  std::int64_t equal() const;
  const ModelCheck* first_wrong() const;  ///< null: every step of every model is equal
  const ModelCheck* worst() const;        ///< with the largest error that could be measured; null: none could
};
ModelChecks check_shipped_models(const std::atomic<bool>* cancel = nullptr);

}  // namespace attnscope
