// A sweep over the prompts of a data set beside the frame: estimates of all prompts first, then exact values
// prompt by prompt, in the order of the lines, so that the same prompts always give the same means.
#pragma once

#include <atomic>
#include <functional>

#include "core/session/asked_sweep.h"

namespace attnscope {

/// What has been prepared once for all prompts: means, partners.
struct DataWork {
  DataWork(const DataPrompts& prompts, Document start) : runs(prompts, std::move(start)) {}
  DataRuns runs;
  std::optional<DataSweep> sweeps;
  std::int64_t other_length = 0;  ///< prompts that are left out: positions are compared one by one
  std::vector<double> donors;     ///< patch: by prompt the measure of the run that places are taken from
  std::shared_ptr<const DataCells> estimates;  ///< of every prompt; null: none
};

/// Who follows an answer over a data set, on the thread that makes it.
struct DataFollower {
  std::function<bool(bool exact)> due;  ///< after each prompt: it wants to see what is known by now
  std::function<bool()> show;           ///< it is in the answer; false: stop
};
/// Goes on with an answer over a data set from what it knows. Errors: those of a prompt, with line and
/// column, Code::cancelled; what was found for the prompts before it is in the answer.
Status answer_over_data(SweepAnswer& answer, const std::atomic<bool>& cancel, const DataFollower& follower);

}  // namespace attnscope
