// Data for the plots of a training run: curves by step, downsampled to the width of a screen, the
// checkpoints that are kept of it, and the target distribution of a row beside its prediction. Limit:
// kMost checkpoints, thinned evenly.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/train/trainer.h"

namespace attnscope {

/// One number per step; the first is that of step `first_step`.
struct TrainingCurves {
  int first_step = 1;
  std::vector<double> loss, plain_loss, accuracy, learning_rate, gradient_norm;
  std::vector<std::string> layers;  ///< "embed", "blocks.0", .., "head": rows of the two below
  std::vector<std::vector<double>> gradients, updates;  ///< [layer][step]
  std::vector<HeldOut> held_out;

  int steps() const { return static_cast<int>(loss.size()); }
  /// Appends a step. A report of a step that exists replaces it, and later ones are dropped.
  void add(const StepReport& report);
};

struct CurvePoint {
  double step = 0, value = 0;
};
/// At most `most` points (2 or more): the first step, which stays where it is however many follow, then the
/// mean of each stretch of steps at its middle. Steps count from `first_step`.
std::vector<CurvePoint> shortened_curve(const std::vector<double>& values, int first_step, int most);
/// Layers x stretches of steps: the mean of each stretch, the last layer on top. At most `most` columns.
Tensor layer_strip(const std::vector<std::vector<double>>& layers, int most);
/// Smallest and largest number that is finite and > 0; {1e-6, 1} where there is none.
std::pair<float, float> positive_range(const Tensor& values);
/// Learning rates of a recipe at no more than `most` steps, the first and the last among them.
std::vector<CurvePoint> planned_learning_rates(const Recipe& recipe, int most);

/// Target and prediction of one token of a row.
struct RowTarget {
  int token = 0;
  double target = 0;      ///< with label smoothing
  double unsmoothed = 0;  ///< without: 1 or 0
  double predicted = 0;
};
struct RowTargets {
  std::vector<RowTarget> rows;  ///< the target first, then by falling prediction
  RowTarget rest;               ///< sums over all other tokens; token counts them
  int target = kNotCounted;
  double loss = 0, plain_loss = 0;  ///< of this row, nats
};
/// `targets` as in Example; a row that is not counted has no target. At most `most` tokens by name.
RowTargets row_targets(const Trace& trace, const std::vector<int>& targets, std::int64_t row,
                       double smoothing, std::size_t most);
/// The rows that have a target.
std::vector<std::int64_t> counted_rows(const Example& example);

/// Thins a list by step, evenly over everything that was offered: at most `kMost`; when they are too many
/// every second one goes, and the distance doubles.
template <class Kept>
class CheckpointRing {
 public:
  static constexpr std::size_t kMost = 40;
  /// True where step `step` would be kept.
  bool wants(int step) const { return (step - first_) % interval_ == 0; }
  /// A resumed run: distances count from this step, which is kept, and are at least so long.
  void start_at(int step, int interval = 1) { first_ = step, interval_ = std::max(1, interval); }
  void add(int step, Kept kept) {
    while (!kept_.empty() && kept_.back().first >= step) kept_.pop_back();
    kept_.emplace_back(step, std::move(kept));
    while (kept_.size() > kMost) {
      interval_ *= 2;
      std::erase_if(kept_, [this](const auto& row) { return (row.first - first_) % interval_ != 0; });
    }
  }
  void clear() {
    kept_.clear();
    interval_ = 1;
    first_ = 0;
  }
  const std::vector<std::pair<int, Kept>>& all() const { return kept_; }

 private:
  std::vector<std::pair<int, Kept>> kept_;
  int interval_ = 1, first_ = 0;
};

}  // namespace attnscope
