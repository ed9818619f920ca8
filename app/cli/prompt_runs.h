// The prompts of a data set for every command that takes --data: DataRuns with the command's own flags, and
// what is said of them on stderr.
#pragma once

#include <string>
#include <vector>

#include "app/cli/answer_run.h"
#include "app/cli/command.h"
#include "core/session/data_runs.h"

namespace attnscope::cli {

class PromptRuns : public DataRuns {
 public:
  /// `clean` and `corrupt` hold the edits and masks of each side. All outlive it.
  PromptRuns(DataChoice choice, const OpenedModel& opened, const SequenceOptions& clean,
             const SequenceOptions& corrupt)
      : DataRuns(std::move(choice), blank_document(opened)), clean_(clean), corrupt_(corrupt) {}

  /// Errors: words are given beside the data set, a recording.
  Status prepare();
  /// Says on stderr what the vocabulary could not spell, and what edits made NaN.
  void tell(const PromptRun& run) const;
  const std::vector<std::string>& unknown() const { return clean_.unknown(); }
  nlohmann::json json() const { return data_json(choice(), hash(), count()); }

 private:
  const SequenceOptions &clean_, &corrupt_;
};

}  // namespace attnscope::cli
