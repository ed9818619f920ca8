// The current measure (a scalar of the logits): its text, kept while inputs change, and its value in
// the newest run and in the run without edits. Where no text was typed, or its tokens are not in the
// tokens, the most likely output against the second. Computed beside the frame.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/model/measure.h"
#include "core/session/session.h"

namespace attnscope {

/// The measure of one sequence of one run.
struct MeasureAnswer {
  std::uint64_t run = 0;  ///< RunResult::version
  int sequence = 0;
  std::string asked;                    ///< as typed; empty: nothing was
  std::optional<LogitMeasure> measure;  ///< none: `error` has the reason
  std::string text;                     ///< of the measure, in the form in which it is typed
  std::optional<Error> error;           ///< why there is no measure, or why it is not the typed one
  bool failed = false;                  ///< the computation threw; `error` is what
  double value = 0;
  std::optional<double> unedited;  ///< in the run without edits, where there are edits
  double change() const { return unedited ? value - *unedited : 0; }
};

/// The row of the measure where none was chosen: the first [MASK] token's, the last before the
/// actions, else prediction_row().
std::int64_t asked_row(const OpenedModel& opened, const Trace& trace);
/// Parses a measure for a run: at position `at`; if negative, at the first masked token, else at the row that
/// predicts the answer. KL is relative to this run. Errors: parse_measure's; no such position.
Result<LogitMeasure> measure_of(const OpenedModel& opened, const std::string& text, std::int64_t at,
                                const Trace& run);
/// The same for both runs of a patch: the tokens of the clean one, each at its own row (the masked token may
/// be at another position).
struct PatchMeasures {
  LogitMeasure clean, corrupt;
};
Result<PatchMeasures> patch_measures(const OpenedModel& opened, const std::string& text, std::int64_t at,
                                     const Trace& clean, const Trace& corrupt);
/// The most likely output at a row of a run minus the second; the logit alone where there is only one.
/// Errors: a run without logits, a row that it does not have.
Result<LogitMeasure> most_likely_measure(const Trace& trace, std::int64_t row);
/// The text with another target or distractor: a difference where both are there, else the kind that it has.
std::string with_target(const OpenedModel& opened, const LogitMeasure& measure, int id);
std::string with_distractor(const OpenedModel& opened, const LogitMeasure& measure, int id);

class AskedMeasure {
 public:
  std::string text;       ///< logit_diff:A,B and the like; empty: the most likely against the second
  std::string of_prompt;  ///< with the tokens of a data set's prompt that is looked at; empty: `text`
  std::int64_t row = -1;  ///< of the logits; -1: asked_row

  /// Computes the answer where that for this run, sequence and text is not there or under way. Once per
  /// frame. kl is that to the answer of `pinned`; null: to that of the run without edits.
  void follow(Workers& workers, const std::shared_ptr<const RunResult>& run, int sequence,
              const std::shared_ptr<const RunResult>& pinned = nullptr);
  /// The newest answer; that of the run before while the newest is computed, null before the first.
  std::shared_ptr<const MeasureAnswer> newest() const { return answer_->newest(); }
  /// The answer for this run, or null.
  std::shared_ptr<const MeasureAnswer> of(const RunResult& run) const;

 private:
  struct Unedited {                      // of the computations alone, which follow one another
    std::shared_ptr<const Trace> trace;  ///< of the newest input
    std::shared_ptr<const Model> model;  ///< that ran it
  };
  static MeasureAnswer answered(Unedited& unedited, const RunResult& run, const RunResult* pinned,
                                MeasureAnswer answer, std::int64_t row, const std::atomic<bool>& cancel);
  static std::shared_ptr<const Trace> unedited_run(Unedited& unedited, const RunResult& run, int sequence,
                                                   const std::atomic<bool>& cancel);

  std::shared_ptr<Unedited> unedited_ = std::make_shared<Unedited>();
  std::shared_ptr<Computed<MeasureAnswer>> answer_ =
      std::make_shared<Computed<MeasureAnswer>>();  ///< shared by copies
};

/// True where both runs have the same input: tokens, rows, pixels, padding.
bool same_input(const Input& a, const Input& b);

}  // namespace attnscope
