// The prompts of a data set as runs of one model, for every command and view that asks over one.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/session/data_cells.h"
#include "core/session/data_prompt.h"
#include "core/session/each_prompt.h"

namespace attnscope {

/// The columns that a side of a prompt may stand in.
std::vector<std::string> prompt_fields(DataSide side);

/// One side of one prompt, run.
struct PromptRun {
  Request request;
  Document document;
  std::shared_ptr<const Trace> trace;
};

/// Lines of a data set that are held in memory.
struct DataPrompts {
  DataChoice choice;
  std::vector<DataLine> lines;
  std::string hash;   ///< DataReader::fingerprint of all that was read
  bool more = false;  ///< the data set has further prompts than were taken
};
/// The window holds at most so many.
inline constexpr std::int64_t kMostHeldPrompts = 20000;
/// Reads them; of a choice without a limit at most kMostHeldPrompts. Errors: DataReader's, Code::cancelled.
Result<std::shared_ptr<const DataPrompts>> held_prompts(const DataChoice& choice,
                                                        const std::atomic<bool>& cancel);

/// What every prompt of a data set is laid over where a document with one is asked: the document without it,
/// without notes and circuits, and without edits of one sequence of several.
Document start_of_prompts(Document document);

class DataEdits;
/// By prompt that stays: the one that gives it its values, and its length.
struct DrawnPartners {
  std::vector<std::size_t> partners;
  std::vector<PromptLength> lengths;
};

class DataRuns {
 public:
  /// Every prompt is laid over `start`, whose edits hold for all; `with`: what is asked for besides, of the
  /// clean and of the corrupt side.
  DataRuns(DataChoice choice, Document start, std::array<Request, 2> with = {});
  /// The same of lines that are held.
  DataRuns(const DataPrompts& held, Document start);

  /// Goes through all chosen prompts, from the one with number `from`; may be called again. each_prompt()'s
  /// `work`, `take` and `each`. Once stopped() it takes no further prompt, and those taken are all that were
  /// chosen (choice().limit). Errors: also a file that changed in between; Code::cancelled where it was
  /// stopped and has none yet, or needs every prompt.
  template <class T, class Work, class Take>
  Status through(Work work, Take take, std::size_t from = 0, std::size_t each = kPromptsEach) {
    if (const std::vector<DataLine>* held = held_lines()) {
      std::size_t next = from;
      return each_prompt<T>(
          [&]() -> Result<std::optional<DataLine>> {
            if (next >= held->size()) return std::optional<DataLine>();
            if (stopped()) return stopped_short();
            return std::optional((*held)[next++]);
          },
          work, take, each);
    }
    TRY(DataReader reader, DataReader::open(choice_));
    for (std::size_t skipped = 0; skipped < from; ++skipped) TRY_OK(reader.next());
    const auto next = [&]() -> Result<std::optional<DataLine>> {
      if (!stopped()) return reader.next();
      if (reader.count() == 0 || !hash_.empty()) return stopped_short();
      choice_.limit = reader.count();
      return std::optional<DataLine>();
    };
    TRY_OK(each_prompt<T>(next, work, take, each));
    return finished(reader);
  }
  /// Reads all lines: for methods that need the others of each prompt, and where a pipe is to be read twice.
  Status keep_lines(bool only_of_pipes);
  const std::vector<DataLine>& lines() const { return *held_lines(); }
  /// Of the lines that are held, only these from now on; the others are left_out().
  void keep_only(const std::vector<bool>& stays);
  std::int64_t left_out() const { return left_out_; }

  /// What "mean" and "resample" stand for in the edits that every prompt is run under; prompts that no other
  /// has the length of are left out where one is resampled.
  Status take_edit_values(std::uint64_t seed, const std::atomic<bool>* cancel = nullptr);
  /// The same prompts without the edits that are asked for besides.
  DataRuns without_edits() const;
  /// For each prompt another one of its length that gives it its values; those without are left out.
  Result<DrawnPartners> draw_partners(std::uint64_t seed);

  /// Where positions are compared one by one: those of the most common length stay, the others are
  /// left_out(). `side`: whose rows they are.
  Status keep_one_length(DataSide side);

  /// Errors: with the line and column of the prompt.
  Result<PromptRun> run(const DataLine& line, DataSide side, const std::atomic<bool>* cancel = nullptr) const;
  /// The measure of a line as text, with its answers. Errors: answers that are no tokens.
  Result<std::string> measure_text(const DataLine& line, const std::string& measure) const;

  const std::string& path() const { return choice_.path; }
  const DataChoice& choice() const { return choice_; }
  const OpenedModel& opened() const { return *start_.opened; }
  const Document& start() const { return start_; }
  const Request& with() const { return with_[0]; }
  const std::string& hash() const { return hash_; }
  std::int64_t count() const { return count_; }

 protected:
  /// True once no further prompt is wanted.
  virtual bool stopped() const { return false; }
  std::array<Request, 2> with_;

 private:
  Result<std::vector<PromptLength>> lengths_of(DataSide side);
  Status finished(const DataReader& reader);
  static Error stopped_short();
  const std::vector<DataLine>* held_lines() const { return held_ ? held_ : kept_ ? &*kept_ : nullptr; }

  DataChoice choice_;
  Document start_;
  const std::vector<DataLine>* held_ = nullptr;  // another's
  std::optional<std::vector<DataLine>> kept_;
  std::string hash_;
  std::int64_t count_ = 0, left_out_ = 0;
  std::shared_ptr<const DataEdits> edit_values_;
};

}  // namespace attnscope
