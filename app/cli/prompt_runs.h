// The prompts of a data set as runs of one model, for every command that takes --data.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/answer_run.h"
#include "app/cli/command.h"
#include "core/base/text.h"
#include "core/session/data_prompt.h"
#include "core/session/each_prompt.h"

namespace attnscope::cli {

/// The columns that a side of a prompt may stand in.
std::vector<std::string> prompt_fields(DataSide side);

/// One side of one prompt, run.
struct PromptRun {
  Request request;
  Document document;
  std::shared_ptr<const Trace> trace;
};

class PromptRuns {
 public:
  /// `clean` and `corrupt` hold the edits and masks of each side. All outlive it.
  PromptRuns(DataChoice choice, const OpenedModel& opened, const SequenceOptions& clean,
             const SequenceOptions& corrupt);

  /// Errors: words are given beside the data set, a recording.
  Status prepare();
  /// Goes through all chosen prompts; may be called again. each_prompt()'s `work` and `take`. Errors: also a
  /// file that changed in between.
  template <class T, class Work, class Take>
  Status through(Work work, Take take) {
    if (kept_) {
      std::size_t next = 0;
      return each_prompt<T>(
          [&]() -> Result<std::optional<DataLine>> {
            if (next == kept_->size()) return std::optional<DataLine>();
            return std::optional((*kept_)[next++]);
          },
          work, take);
    }
    TRY(DataReader reader, DataReader::open(choice_));
    TRY_OK(each_prompt<T>([&] { return reader.next(); }, work, take));
    return finished(reader);
  }
  /// Reads all lines: for methods that need the others of each prompt, and where a pipe is to be read twice.
  Status keep_lines(bool only_of_pipes);
  const std::vector<DataLine>& lines() const { return *kept_; }

  /// Errors: with the line and column of the prompt.
  Result<PromptRun> run(const DataLine& line, DataSide side) const;
  /// The measure of a line as text, with its answers. Errors: answers that are no tokens.
  Result<std::string> measure_text(const DataLine& line, const std::string& measure) const;
  /// Says on stderr what the vocabulary could not spell.
  void tell(const PromptRun& run) const { clean_.tell_of_texts(run.document, run.request); }

  const std::string& path() const { return choice_.path; }
  const Request& with() const { return with_[0]; }
  const std::vector<std::string>& unknown() const { return clean_.unknown(); }
  nlohmann::json json() const { return data_json(choice_, hash_, count_); }

 private:
  Status finished(const DataReader& reader);

  DataChoice choice_;
  const OpenedModel& opened_;
  const SequenceOptions &clean_, &corrupt_;
  std::array<Request, 2> with_;
  std::optional<std::vector<DataLine>> kept_;
  std::string hash_;
  std::int64_t count_ = 0;
};

}  // namespace attnscope::cli
