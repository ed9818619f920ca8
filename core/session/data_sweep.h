// One sweep that is asked of every prompt of a data set: what each place is set to where that comes from the
// other prompts, and the sweep of each line. The command line and the window ask by it.
#pragma once

#include <map>

#include "core/lens/paths.h"
#include "core/lens/sweep.h"
#include "core/session/data_runs.h"

namespace attnscope {

/// How places are knocked out: the operation, and whether their numbers come from the data set. mean: one
/// vector per place, over all prompts and their real positions; mean_by_pos: one for each position, where all
/// have one length; resample: the value of another prompt, drawn by a seed.
struct DataKnockout {
  enum class From : std::uint8_t { itself, mean, mean_by_pos, resample };
  Knockout knockout;
  From from = From::itself;
  std::uint64_t seed = 0;
};

/// Who reads what `DataQuestion::steps` write, and along what.
struct PathQuestion {
  std::string to;  ///< a selector
  PathKind kind = PathKind::direct;
  bool operator==(const PathQuestion&) const = default;
};
/// Whose run takes places from that of the other side of its prompt.
enum class PatchInto : std::uint8_t { none, corrupt, clean };

/// What is asked of every prompt: places are knocked out, or patched, or paths are cut.
struct DataQuestion {
  std::string measure;  ///< as it is typed; with the line's answers where it names no tokens
  std::int64_t at = -1;
  std::string steps;  ///< a selector
  std::vector<std::string> over;
  DataKnockout how;
  PatchInto patch = PatchInto::none;
  std::optional<PathQuestion> path = {};
};

/// The sweep of one prompt.
struct PromptSweep {
  PromptRun prompt;     ///< that the sweep changes
  std::string measure;  ///< with its answers
  Sweep sweep;
  std::optional<double> donor = {};  ///< patch: the measure of the run that places are taken from
};

class DataSweep {
 public:
  /// Goes through all prompts where their means or lengths are needed. `data` outlives it. Errors: those of
  /// the prompts, with line and column; fewer than two prompts to draw from.
  static Result<DataSweep> prepare(DataRuns& data, DataQuestion question,
                                   const std::atomic<bool>* cancel = nullptr);
  /// On any thread. Errors: with line and column.
  Result<PromptSweep> of(const DataLine& line, const std::atomic<bool>* cancel = nullptr) const;
  /// resample: by prompt the one that gives it its values.
  const std::vector<std::size_t>& partners() const { return partners_; }
  /// Places of a prompt may lack a partner in another one.
  bool partial() const { return resamples() || question_.patch != PatchInto::none; }

 private:
  DataSweep(DataRuns& data, DataQuestion question, Selector steps)
      : data_(&data), question_(std::move(question)), steps_(std::move(steps)) {}
  bool resamples() const { return question_.how.from == DataKnockout::From::resample; }
  Result<Sweep> sweep_of(const DataLine& line, const std::shared_ptr<const Trace>& run,
                         const LogitMeasure& measure, const std::atomic<bool>* cancel) const;
  Result<PromptSweep> patch_of(const DataLine& line, const std::atomic<bool>* cancel) const;
  Status draw_partners();
  Status take_means(const std::atomic<bool>* cancel);

  DataRuns* data_;
  DataQuestion question_;
  Selector steps_;
  std::optional<Selector> to_;
  std::vector<std::size_t> partners_;
  std::map<std::int64_t, std::size_t> place_of_line_;
};

/// The measure that is typed, or, where nothing is, the one that the answers of the lines give: "logit_diff"
/// with answer and wrong, "logit" with an answer alone. Errors: neither.
Result<std::string> data_measure(const std::string& typed, const DataPrompts& prompts);

}  // namespace attnscope
