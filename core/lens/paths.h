// Which part writes what another reads (path patching, Goldowsky-Dill et al. 2023; Wang et al. 2022): the
// measure when what a sender wrote is taken out of what one receiver alone reads, for every pair. Direct:
// along the residual stream alone (core/trace/path.h). Total: the receiver's numbers are those of a run
// without the sender, so that all that lies between takes part. The bias of an output projection stays in
// both. Errors: places that write or read nothing of
// the stream, and pairs of which none has a path.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/model/measure.h"
#include "core/model/model.h"

namespace attnscope {

enum class PathKind : std::uint8_t { direct, total };

/// A sender, a receiver, and the measure without what runs between them; NaN until it is computed.
struct PathCell {
  Target from, to;  ///< `to` as it was asked: "blocks.1.attn.q[head=3]", "blocks.1.mlp.out", "logits"
  double value = 0, estimate = 0;
  std::shared_ptr<const Tensor> instead = nullptr;   ///< of a direct path: what the sender writes instead
  std::vector<std::pair<double, double>> also = {};  ///< value and estimate by each further measure
  double value_of(std::size_t measure) const { return measure == 0 ? value : also[measure - 1].first; }
  double estimate_of(std::size_t measure) const { return measure == 0 ? estimate : also[measure - 1].second; }
};

/// The measures that runs are read by, and what the run that they start from has of each.
struct RunMeasures {
  std::vector<LogitMeasure> all;
  std::vector<double> bases;
  /// Errors: those of a measure.
  Status add(const LogitMeasure& measure, const Trace& run);
  /// What each measures where these edits come to those of `run`, a run of `model`.
  Result<std::vector<double>> under(const Edits& edits, const Model& model,
                                    const std::shared_ptr<const Trace>& run,
                                    const std::atomic<bool>* cancel) const;
};

class PathGrid {
 public:
  /// All pairs with a path of `from` and `to` in `run`, a run of `model`; places with heads head by head,
  /// `over` cuts senders further ("pos", "d_mlp").
  static Result<PathGrid> make(std::shared_ptr<const Model> model, std::shared_ptr<const Trace> run,
                               LogitMeasure measure, const Selector& from, const Selector& to, PathKind kind,
                               const std::vector<std::string>& over);

  const std::vector<PathCell>& cells() const { return cells_; }
  /// Reads a further measure off the same runs; before estimate() and fill(). Errors: those of a measure.
  Status add_measure(const LogitMeasure& measure);
  /// The measure of the run as it is.
  double base(std::size_t measure = 0) const { return measures_.bases[measure]; }
  PathKind kind() const { return kind_; }
  /// Pairs that have no path, the sender being behind its receiver.
  std::size_t without_path() const { return without_; }
  /// Steps that were selected but write nothing into the stream, or read nothing from it; the grid leaves
  /// them out.
  const std::vector<std::string>& no_senders() const { return no_senders_; }
  const std::vector<std::string>& no_receivers() const { return no_receivers_; }
  /// The edits of one cell; of a total path with the numbers of a run without the sender.
  Result<Edits> edits(std::size_t cell) const;

  /// Direct paths: what is taken out of this sender is replaced by what it writes when the whole step holds
  /// these numbers; null: by nothing.
  void write_instead(const Target& from, const std::shared_ptr<const Tensor>& numbers);

  /// Values that are computed already, NaN for others: fill() runs those alone.
  void take_values(const std::vector<double>& values);

  /// Keeps these cells alone, in order: one part of a grid that runs on several machines.
  void keep(const std::vector<std::int64_t>& cells);

  /// Estimates every cell: base + gradient at the receiver times what changes there. The gradient is that of
  /// a run in which the sender writes half (integrated gradients with one point, Hanna et al. 2024): at the
  /// run itself a softmax that is sure of its key has none. One run and one backward pass a sender.
  Status estimate();
  /// Runs the cells, senders with the largest estimated effect first; where `most` > 0 those cells with the
  /// largest one alone. `done` is called with each, from any thread, one call at a time, and returns whether
  /// to go on.
  Status fill(std::size_t most = 0, const std::function<bool(std::size_t cell)>& done = {},
              const std::atomic<bool>* cancel = nullptr);

 private:
  PathGrid(std::shared_ptr<const Model> model, std::shared_ptr<const Trace> run, LogitMeasure measure);
  Result<std::shared_ptr<const Trace>> without(const Target& from, const std::atomic<bool>* cancel) const;
  Result<Edits> edits_of(const PathCell& cell, const Trace* without) const;
  /// By every measure.
  Result<std::vector<double>> values(const PathCell& cell, const Trace* without,
                                     const std::atomic<bool>* cancel) const;
  std::vector<std::vector<std::size_t>> by_sender() const;
  Status estimate_sender(const std::vector<std::size_t>& group);

  std::shared_ptr<const Model> model_;
  std::shared_ptr<const Trace> run_;
  RunMeasures measures_;
  PathKind kind_ = PathKind::direct;
  std::vector<PathCell> cells_;
  std::size_t without_ = 0;
  std::vector<std::string> no_senders_, no_receivers_;
};

}  // namespace attnscope
