// What PyTorch says of every step of a model's forward pass on one input (assets/references/NAME.json,
// written by scripts/references.sh): some cells of each step, its norm and its extremes; and how far a run is
// from it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/lens/step_differences.h"

namespace attnscope {

/// One step as PyTorch has it. What the mask hides (-infinity) counts in `hidden` and in nothing else.
struct TorchStep {
  Site site;
  std::vector<std::int64_t> shape;
  std::vector<double> cells;  ///< those at reference_places()
  double norm = 0, least = 0, greatest = 0;
  std::int64_t hidden = 0;
};

struct TorchReference {
  std::string file;              ///< what errors call it
  std::string model;             ///< "storyteller"
  std::string made_by;           ///< version, number format and script
  std::vector<int> ids, source;  ///< the input; `source`: of the encoder, where there is one
  std::vector<TorchStep> steps;
};

/// Which of `count` cells a reference holds, the last axis running first: the first and the last four and
/// eight between them, or all of at most 16.
std::vector<std::int64_t> reference_places(std::int64_t count);

/// `file` is the name in errors. Errors: no JSON, a field that is missing or of another type, an unknown
/// step, numbers that do not fit a shape.
Result<TorchReference> read_torch_reference(std::string_view json, const std::string& file);

/// Every step of the run, in its order, against the reference, and behind them what the reference alone has.
/// The largest error of a step may be that of its norm or of an extreme (StepDifference::what). Numbers above
/// 1 are rounded more coarsely, and sums with their largest terms: the difference of a cell is measured
/// against the largest number of its step, that of a norm against the norm, where they are above 1.
std::vector<StepDifference> torch_differences(const Trace& run, const TorchReference& reference,
                                              const std::atomic<bool>* cancel = nullptr);

/// What comparing with a reference came to: a step that cannot be compared is as wrong as one that differs.
struct TorchVerdict {
  std::int64_t steps = 0, equal = 0;
  const StepDifference* first_wrong = nullptr;  ///< null: all are equal
  const StepDifference* worst = nullptr;        ///< the largest error of those compared; null: there are none
};
TorchVerdict torch_verdict(const std::vector<StepDifference>& all, double tolerance);
TorchVerdict torch_verdict(std::vector<StepDifference>&& all, double tolerance) = delete;

}  // namespace attnscope
