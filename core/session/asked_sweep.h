// A sweep in the background: estimates at once, then exact values, largest first, one cell
// after the other, beside the frame. What is known stays when it is stopped, and it can go on from there.
// Limit: pauses for confirmation where it would take longer than kAskFrom seconds. An answer holds its
// request and a key of it, so that results are never mixed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/computed.h"
#include "core/lens/sweep.h"
#include "core/session/data_cells.h"
#include "core/session/data_sweep.h"

namespace attnscope {

/// A sweep that is asked of every prompt of a data set.
struct DataAsked {
  std::shared_ptr<const DataPrompts> prompts;
  Document start;  ///< prompts are laid over it: its model, edits and padding
  DataQuestion question;
};
struct DataWork;

/// The parameters of a sweep.
struct SweepRequest {
  std::shared_ptr<const Model> model;
  std::shared_ptr<const Trace> run;  ///< of the document
  Edits edits;                       ///< that the run was made under
  std::optional<Input> other;        ///< patch: the other prompt; none: ablation
  bool into_other = true;            ///< patch: places of `run` go into the run of the other prompt
  LogitMeasure measure;
  std::string steps;                           ///< a selector
  std::vector<std::string> over;               ///< axes
  Knockout how;                                ///< knock out
  std::optional<PathQuestion> path = {};       ///< from `steps` to these
  std::shared_ptr<const DataAsked> data = {};  ///< over a data set, whatever `run` is; null: of `run`

  /// Places of one run are put into another.
  bool patches() const { return other || (data && data->question.patch != PatchInto::none); }
  /// Equal for equal requests on equal numbers, whichever order the two prompts have.
  std::uint64_t key() const;
};

/// The results so far.
struct SweepAnswer {
  std::uint64_t key = 0;
  std::uint64_t change = 0;  ///< grows with every new result: the version of pictures
  SweepRequest request;
  std::shared_ptr<const Sweep> sweep;     ///< its places and edits; null: not made yet, or `error`
  std::vector<double> values, estimates;  ///< of its cells; NaN until they are computed
  std::vector<bool> exact;                ///< of its cells: the value is known, be it NaN
  std::optional<double> donor;  ///< patch: the measure of the run that places are taken from, or its mean
  std::optional<Error> error;   ///< why there are no further values
  std::optional<Error> no_estimate;  ///< why there are no estimates
  bool done = false;                 ///< nothing more will come
  bool stopped = false;              ///< it was stopped before it was complete
  std::optional<double> asks;        ///< it paused for confirmation: seconds that the rest will take
  double seconds = 0;                ///< that it has taken so far

  /// Patch: cells that were patched from the run itself, and the largest difference that made.
  struct SelfCheck {
    std::int64_t cells = 0;
    double largest = 0;
  };
  std::optional<SelfCheck> self;

  // Over a data set: `sweep` is that of the first prompt, `values` are means, `estimates` those of the same
  // prompts; before the first value of all that were estimated.
  std::shared_ptr<const DataCells> data;  ///< of the prompts whose values are exact; null: of none yet
  std::vector<SweepCell> places;          ///< what cells() gives
  std::int64_t estimated = 0;             ///< prompts
  double estimate_base = 0;               ///< mean of the measure over those
  std::shared_ptr<DataWork> work;         ///< to go on with

  bool over_data() const { return request.data != nullptr; }
  /// Prompts whose values are exact, and all.
  std::int64_t prompts_done() const { return data ? data->base().n() : 0; }
  std::int64_t prompts() const;       ///< that are asked: without those that the question leaves out
  std::int64_t other_length() const;  ///< prompts left out where positions are compared one by one
  /// The places of `values`; there where `sweep` is.
  const std::vector<SweepCell>& cells() const { return over_data() ? places : sweep->cells(); }
  /// What a cell has to say: the measure, or how far it moved, exact where that is known, else estimated;
  /// with `spread` its standard deviation over the prompts. NaN where nothing is known.
  double shown(std::size_t cell, bool moved, bool spread) const;
  /// Patch: (value - corrupt) / (clean - corrupt), exact where that is known, else estimated; clean is the
  /// measure of `request.run`, corrupt that of the other prompt. NaN where one is not known or both are the
  /// same.
  double normalised(std::size_t cell) const;
  bool can_normalise() const;
  double clean() const { return request.into_other ? donor_or_nan() : base(); }
  double corrupt() const { return request.into_other ? base() : donor_or_nan(); }
  /// The measure without a cell's edit; over a data set its mean.
  double base() const { return over_data() ? data_base() : sweep ? sweep->base() : 0; }
  std::int64_t known() const;
  /// Nothing of it is missing: every prompt, or every cell of one, was run.
  bool whole() const {
    if (error) return false;
    return over_data() ? data && prompts_done() >= prompts() : sweep && known() >= std::ssize(values);
  }
  /// It was stopped, or waits for confirmation, and there are cells left.
  bool can_go_on() const {
    if (over_data()) return done && stopped && prompts_done() < prompts();
    return done && stopped && sweep && known() < std::ssize(values);
  }
  /// Of estimates and values, where both are known: Pearson's r. None for fewer than three cells, or where
  /// one of them does not vary.
  std::optional<double> correlation() const;

 private:
  double donor_or_nan() const;
  double data_base() const { return data ? data->base().mean() : estimate_base; }
};

class AskedSweep {
 public:
  /// Begins in the place of the one before. Where the first cells say that all will take more than `ask_from`
  /// seconds, it stops and asks.
  void start(Workers& workers, SweepRequest request, double ask_from = kAskFrom);
  /// Runs the cells that are left, without a further pause.
  void go_on(Workers& workers);
  static constexpr double kAskFrom = 600;
  /// Stops it; computed cells stay.
  void stop();
  bool running() const { return answer_->under_way(); }
  /// The results so far; the same pointer while there are no new ones. Null before the first.
  std::shared_ptr<const SweepAnswer> newest() const { return answer_->newest(); }

 private:
  class Work;
  void begin(Workers& workers, const SweepAnswer& from, double ask_from);
  std::shared_ptr<Computed<SweepAnswer>> answer_ =
      std::make_shared<Computed<SweepAnswer>>();  ///< shared by copies
};

}  // namespace attnscope
