// Whether the program computes what PyTorch does: the forward pass of a shipped model on its first input,
// step by step, against the reference that travels with it (assets/references, scripts/references.sh).
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/computed.h"
#include "core/lens/torch_reference.h"
#include "core/session/document.h"

namespace attnscope {

/// The largest error that a step may have anywhere.
inline constexpr double kReferenceTolerance = 1e-5;

/// A reference travels with what is open.
bool has_reference(const OpenedModel& opened);
/// The reference of what is open. Errors: none travels with it, a file that does not read, the reference of
/// another model.
Result<TorchReference> reference_of(const OpenedModel& opened);
/// The same from a file. Errors: read_file's, as well.
Result<TorchReference> reference_from(const std::string& path, const OpenedModel& opened);
/// The run reads what the reference was made of.
bool same_input(const TorchReference& reference, const Trace& run);
/// What the reference was made of becomes what a sequence of the document reads. Errors: set_spelled's.
Status take_input(Document& document, std::size_t sequence, const TorchReference& reference);

/// What became of one model.
struct ModelCheck {
  std::string model;         ///< "model:storyteller"
  TorchReference reference;  ///< empty where there is an error
  std::string text;          ///< what it read
  std::vector<StepDifference> steps;
  std::optional<Error> error = {};  ///< why there is nothing to compare

  TorchVerdict verdict() const { return torch_verdict(steps, kReferenceTolerance); }
  bool good() const { return !error && !verdict().first_wrong; }
};
/// Runs a model on the input of its reference, and compares.
ModelCheck check_model(const std::string& model, const std::atomic<bool>* cancel = nullptr);
/// A run of what is open against its reference. `other_input`: the run reads something else, so that the
/// steps are those of another run.
struct RunCheck {
  ModelCheck check;
  bool other_input = false;
};
RunCheck check_run(const OpenedModel& opened, const Trace& run, const std::atomic<bool>* cancel = nullptr);

/// All shipped models, and their sum.
struct ModelChecks {
  std::vector<ModelCheck> models;
  std::int64_t steps() const;
  std::int64_t equal() const;
  const ModelCheck* first_wrong() const;  ///< null: every step of every model is equal
  const ModelCheck* worst() const;        ///< with the largest error that could be measured; null: none could

  /// "760 steps of 8 models equal PyTorch's within 1e-05", or the first that does not and by how much.
  Text verdict() const;
  /// The largest error and where, and what made the numbers.
  Text details() const;
};
ModelChecks check_shipped_models(const std::atomic<bool>* cancel = nullptr);

/// The same for the window: begun beside the frame, once in a program, because what is inside a program does
/// not change.
class ShippedCheck {
 public:
  /// Once per frame, when the first run is there.
  void follow(Workers& workers);
  /// Null until it is there.
  std::shared_ptr<const ModelChecks> newest() const;
  /// Takes the place of the result.
  void put(ModelChecks checks) { found_->put(std::make_shared<const ModelChecks>(std::move(checks))); }

 private:
  // Shared: the workspace that holds it is copied where it is saved.
  std::shared_ptr<Computed<std::shared_ptr<const ModelChecks>>> found_ =
      std::make_shared<Computed<std::shared_ptr<const ModelChecks>>>();
};

}  // namespace attnscope
