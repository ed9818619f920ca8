// What Check compares a run with, as a session keeps it, and the rows of that: every step with its largest
// error. The window's table, its figure and its data show these.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/lens/step_differences.h"
#include "core/session/reference_check.h"
#include "core/view/view.h"

namespace attnscope {

using CheckedSteps = std::shared_ptr<const std::vector<StepDifference>>;

struct CheckRows {
  const CheckedSteps& of;
  double border;     ///< the tolerance
  bool torch;        ///< against PyTorch's numbers: a step that cannot be compared is wrong
  bool other_input;  ///< of a run that reads something else: its cells are not those of what is open

  bool wrong(const StepDifference& one) const { return one.compared() ? one.error() > border : torch; }
  const std::vector<StepDifference>& all() const { return *of; }
  const StepDifference* first_wrong() const;  ///< null: there is none
  /// Some could be compared.
  bool any() const;
  /// How many agree, and the first that does not.
  Text verdict() const;
};

/// The choices of Check, by the names that a session has for them.
struct CheckChosen {
  std::string file;  ///< arrays of another program; empty: none
  bool against_pinned = false, against_torch = false;
  double tolerance = 1e-4, torch_tolerance = kReferenceTolerance;
};
/// As a session keeps them (an object); what is missing there is as in a window that was just opened.
CheckChosen check_chosen(const nlohmann::json& from);

/// The page of Check that is open: "torch", "run" (the one compared with) or "file"; empty: there is nothing
/// to compare with.
std::string check_page(const CheckChosen& chosen, const ViewState& state);

/// A recording of another program. Errors: open_model's; a model that is no recording.
Result<OpenedModel> open_recording(const std::string& path);

}  // namespace attnscope
