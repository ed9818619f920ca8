// Many runs for one measure: its value when each place is ablated, or patched from another
// run (Meng et al. 2022, causal tracing; Heimersheim & Nanda 2024, activation patching). Every cell is one
// edit of an existing run, so that a cell costs its cone; an estimate by gradient times
// difference (Nanda 2023, attribution patching) comes first. Paths from senders to receivers
// (core/lens/paths.h) are such a sweep, too. Errors: steps that match nothing, and alignments without a
// common row.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/lens/donor.h"
#include "core/lens/paths.h"
#include "core/lens/step_means.h"
#include "core/model/measure.h"
#include "core/model/model.h"

namespace attnscope {

/// One place of a sweep and the measure with the edit there; NaN until it is computed.
struct SweepCell {
  Site site;
  std::vector<AxisRange> at;  ///< empty: the whole step at once
  double value = 0, estimate = 0;
  std::vector<std::pair<double, double>> also = {};  ///< value and estimate by each further measure
  std::optional<Target> to = {};                     ///< of a path, whose sender is at `site`: who reads
  double value_of(std::size_t measure) const { return measure == 0 ? value : also[measure - 1].first; }
  double estimate_of(std::size_t measure) const { return measure == 0 ? estimate : also[measure - 1].second; }
  Target place() const { return {Target::Kind::step, site, {}, at}; }
};
/// "blocks.0.attn.z[head=2]"; of a path "blocks.0.attn.z[head=2]->blocks.1.attn.q[head=3]".
std::string cell_text(const SweepCell& cell);

/// The edit of each place.
struct Knockout {
  EditOp op = EditOp::set;
  EditValue value = 0.f;                        ///< zero; MeanOver{}; scale by a factor
  std::shared_ptr<const StepMeans> means = {};  ///< what every place is set to instead: a mean over prompts
};

class Sweep {
 public:
  /// Ablates every place of `steps` over the axes `over` ("head", "pos", ...; pos names query rows too;
  /// "d_mlp:64": groups of so many at once, "head?": where a step has that axis) of `run`, a run of `model`.
  /// Where `steps` names a part of a step
  /// ("blocks.*.attn.z[head=1]"), only that. Errors: no step matches, an axis that a step does not have,
  /// means that do not fit this run.
  static Result<Sweep> ablation(std::shared_ptr<const Model> model, std::shared_ptr<const Trace> run,
                                LogitMeasure measure, const Selector& steps,
                                const std::vector<std::string>& over, const Knockout& how);
  /// Takes every such place of `into` from `donor`, a run of the same model, rows matched by their tokens;
  /// places without a partner are left out. Errors: as above; no row of the two belongs together.
  static Result<Sweep> patching(std::shared_ptr<const Model> model, std::shared_ptr<const Trace> into,
                                std::shared_ptr<const Trace> donor, LogitMeasure measure,
                                const Selector& steps, const std::vector<std::string>& over);

  /// Takes what each of `from` writes out of what each of `to` alone reads: the pairs of PathGrid::make.
  static Result<Sweep> paths(std::shared_ptr<const Model> model, std::shared_ptr<const Trace> run,
                             LogitMeasure measure, const Selector& from, const Selector& to, PathKind kind,
                             const std::vector<std::string>& over);

  const std::vector<SweepCell>& cells() const { return cells_; }
  /// Reads further measures off the same runs. Errors: those of a measure; paths have one.
  Status add_measure(const LogitMeasure& measure);
  /// The measure of the run without the cell's edit.
  double base(std::size_t measure = 0) const { return measures_.bases[measure]; }
  const LogitMeasure& measure() const { return measures_.all.front(); }
  const std::shared_ptr<const Trace>& run() const { return run_; }
  /// The run that values are taken from; null for ablation.
  const Donor* donor() const { return donor_.get(); }
  /// The edit of one cell; not of paths.
  std::shared_ptr<const Edit> edit(std::size_t cell) const;
  /// The same of any sweep; a receiver may be several steps.
  Result<Edits> edits(std::size_t cell) const;
  /// Keeps these cells alone, in order: one part of a sweep that runs on several machines.
  void keep(const std::vector<std::int64_t>& cells);

  /// Values that are computed already, NaN for others: fill() runs those alone.
  void take_values(const std::vector<double>& values);

  /// What was estimated stands as the value of each cell, by every measure.
  void take_estimates();

  /// Estimates every cell: base + sum of gradient times what the edit changes. One backward pass.
  Status estimate();
  /// The measure with one cell's edit.
  Result<double> value(std::size_t cell, const std::atomic<bool>* cancel = nullptr) const;
  /// Runs the cells, those with the largest estimated effect first where there are estimates, several at a
  /// time; `done` is called with each computed cell, from any thread, one call at a time, and returns
  /// whether to go on. Stops early when it returns false or `cancel` becomes true; computed cells stay, and
  /// are not run again.
  Status fill(const std::function<bool(std::size_t cell)>& done = {},
              const std::atomic<bool>* cancel = nullptr);

 private:
  Sweep(std::shared_ptr<const Model> model, std::shared_ptr<const Trace> run, LogitMeasure measure);
  Status estimate(std::size_t measure);
  Status estimate_paths();
  Status fill_paths(const std::function<bool(std::size_t)>& done, const std::atomic<bool>* cancel);
  Result<std::vector<double>> values(std::size_t cell, const std::atomic<bool>* cancel) const;
  Status add_cells(const Selector& steps, const std::vector<std::string>& over);

  std::shared_ptr<const Model> model_;
  std::shared_ptr<const Trace> run_;
  std::shared_ptr<const Donor> donor_;     ///< null: places are ablated
  std::shared_ptr<const PathGrid> paths_;  ///< null: no paths
  RunMeasures measures_;
  Knockout how_;
  std::map<Site, Tensor> means_;  ///< of how_.means, for the rows of this run
  std::vector<SweepCell> cells_;
};

}  // namespace attnscope
