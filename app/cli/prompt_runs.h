// The prompts of a data set for every command that takes --data: DataRuns with the command's own flags, and
// what is said of them on stderr.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/answer_run.h"
#include "app/cli/command.h"
#include "core/base/no_copy.h"
#include "core/session/data_runs.h"
#include "core/system/signals.h"

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
  /// DataRuns::through(), which Ctrl+C stops at the prompts that are done: stderr says over how many, and the
  /// run's words get that --limit. A terminal is told how far it is.
  template <class T, class Work, class Take>
  Status through(Work work, Take take) {
    const Progress progress(*this);
    return DataRuns::through<T>(work, [&](const DataLine& line, T made) -> Status {
      TRY_OK(take(line, std::move(made)));
      progress.took_one();
      return Done{};
    });
  }
  /// Says on stderr what the vocabulary could not spell, and what edits made NaN.
  void tell(const PromptRun& run) const;
  const std::vector<std::string>& unknown() const { return clean_.unknown(); }
  /// What is asked over; prompts that were left out are counted, and stderr says so.
  nlohmann::json json() const;
  /// Lines of the file: run["resampled"] gave their values to run["resampled_into"], one by one. `partners`:
  /// by prompt that stays; empty: nothing was resampled.
  void put_resampled(const std::vector<std::size_t>& partners, nlohmann::json& run) const;

 protected:
  bool stopped() const override;

 private:
  // While prompts are gone through.
  class Progress : NoCopy {
   public:
    explicit Progress(const PromptRuns& runs);
    ~Progress();
    void took_one() const;

   private:
    const PromptRuns& runs_;
    std::optional<StopSignals> signals_;  // not where a process answers many commands
    mutable std::int64_t taken_ = 0;
    mutable bool shown_ = false;
    mutable std::chrono::steady_clock::time_point said_ = std::chrono::steady_clock::now();
  };

  Status usable_;
  const SequenceOptions &clean_, &corrupt_;
};

}  // namespace attnscope::cli
