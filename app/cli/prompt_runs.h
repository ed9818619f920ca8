// The prompts of a data set for every command that takes --data: DataRuns with the command's own flags, and
// what is said of them on stderr.
#pragma once

#include <string>
#include <vector>

#include "app/cli/answer_run.h"
#include "app/cli/command.h"
#include "core/session/data_runs.h"

namespace attnscope::cli {

/// The data set that was asked for, else the examples of the model's own task. Errors: it has none.
Result<DataChoice> data_or_own(const DataOptions& data, const RunModel& opened);

class PromptRuns : public DataRuns {
 public:
  /// `clean` and `corrupt` hold the edits and masks of each side. All outlive it. The path kSessionData is
  /// the data set that the opened session carries; a session's edits hold for every prompt.
  PromptRuns(DataChoice choice, const RunModel& opened, const SequenceOptions& clean,
             const SequenceOptions& corrupt);

  /// Errors: words are given beside the data set, a recording, a session without a data set, a choice of
  /// prompts that the session has made already.
  Status prepare();
  /// Says on stderr what the vocabulary could not spell, and what edits made NaN.
  void tell(const PromptRun& run) const;
  const std::vector<std::string>& unknown() const { return clean_.unknown(); }
  /// What is asked over; prompts that were left out are counted, and stderr says so.
  nlohmann::json json() const;

 private:
  Status usable_;
  const SequenceOptions &clean_, &corrupt_;
};

}  // namespace attnscope::cli
