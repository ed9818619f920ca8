// Training: batches of sequences forward and backward over the threads, AdamW, schedules. A seed gives the
// same run bit for bit on any number of threads. Error: a loss that is NaN or infinite, with the step where
// it began.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/model/gradients.h"
#include "core/train/task.h"

namespace attnscope {

/// Learning rate of step `step` (counted from 0) by the recipe's schedule: linear warm-up, then constant,
/// inverse square root (Vaswani et al. 2017, section 5.3) or a cosine to a tenth at the last step.
double learning_rate(const Recipe& recipe, int step);
/// Errors: a schedule that does not exist, sizes and rates that no training can use.
Status check_recipe(const Recipe& recipe);

/// The moments of one weight, in its shape and its order of memory; empty before the first step.
struct AdamState {
  Tensor m, v;
};
/// Loshchilov & Hutter 2019: Adam with decoupled weight decay. `step` counts from 1. All tensors in one
/// shape; the gradient is multiplied by `factor` first (clipping). The result has the weight's order of
/// memory.
Tensor adamw(const Tensor& weight, const Tensor& gradient, AdamState& state, const Recipe& recipe,
             double rate, int step, double factor = 1);
/// Sum of the squares in double, in an order that follows from the shape.
double sum_of_squares(const Tensor& tensor);
/// The same of now - before; both in the same order of memory.
double sum_of_squared_changes(const Tensor& now, const Tensor& before);

/// One step of training, in numbers.
struct StepReport {
  int step = 0;              ///< counted from 1
  double loss = 0;           ///< the objective (label-smoothed), mean over the counted rows
  double plain_loss = 0;     ///< without smoothing
  double accuracy = 0;       ///< share of counted rows whose most likely token is the target
  double learning_rate = 0;  ///< learning rate
  double gradient_norm = 0;  ///< of all gradients together, before clipping
  std::int64_t tokens = 0;   ///< rows that went through
  double seconds = 0;
  std::map<std::string, double> layer_gradients, layer_updates;  ///< norms by "embed", "blocks.0", .., "head"
};
/// What was measured on held-out examples.
struct HeldOut {
  int step = 0;
  double loss = 0, plain_loss = 0, accuracy = 0;
};

/// The state of a training run: can be saved and resumed.
struct TrainState {
  std::shared_ptr<const Model> model;
  std::map<std::string, AdamState> adam;
  int step = 0;                     ///< steps done
  double learning_rate_factor = 1;  ///< what the schedule's learning rate is multiplied by
  std::vector<StepReport> reports;
  std::vector<HeldOut> held_out;
};

class Trainer {
 public:
  /// The task's model from `seed`. Errors: sizes that do not divide.
  static Result<Trainer> make(std::shared_ptr<const Task> task, const TaskSizes& sizes, const Recipe& recipe,
                              std::uint64_t seed);
  const Task& task() const { return *task_; }
  const Recipe& recipe() const { return recipe_; }
  std::uint64_t seed() const { return seed_; }
  const TrainState& state() const { return state_; }
  /// Resumes from a saved state. Errors: a state of another model.
  Status resume(TrainState state);
  const TaskSizes& sizes() const { return sizes_; }
  /// The learning rate is multiplied by this from the next step on.
  void set_learning_rate_factor(double factor) { state_.learning_rate_factor = factor; }
  void set_smoothing(double smoothing) { recipe_.smoothing = smoothing; }
  /// One step. Errors: a loss or a gradient that is no number (the step and the tensor where it began; the
  /// state stays that of the step before), a batch without any target, a stop by `cancel`.
  Result<StepReport> step(const std::atomic<bool>* cancel = nullptr);
  /// Loss and accuracy on `count` held-out examples; kept in the state.
  Result<HeldOut> measure_held_out(int count);

 private:
  Trainer() = default;
  struct Batch;
  Result<Batch> make_batch() const;
  Result<std::vector<std::shared_ptr<const Gradients>>> run_all(const Batch& batch,
                                                                const std::atomic<bool>* cancel) const;
  Status check_numbers(const std::vector<std::shared_ptr<const Gradients>>& runs,
                       const std::map<std::string, Tensor>& gradients, double norm) const;
  void update(const std::map<std::string, Tensor>& gradients, StepReport& report,
              std::chrono::steady_clock::time_point begin);

  std::shared_ptr<const Task> task_;
  TaskSizes sizes_;
  Recipe recipe_;
  std::uint64_t seed_ = 0;
  TrainState state_;
};

/// Initial weights, from a seed: matrices N(0, s) with s = 0.02 at 768 rows and by 1/sqrt(rows)
/// elsewhere, what is added to the residual stream smaller by sqrt(2 layers) (Radford et al. 2019, section
/// 2.3); blocks with their norms behind the sums begin as Glorot & Bengio 2010 do. Norms are 1 and 0, biases
/// 0; blocks with RMSNorm have no biases, and only heads with a transform have one for the vocabulary.
Weights first_weights(const ModelConfig& config, std::uint64_t seed);

/// The model of a run as it was after a step.
struct EarlierModel {
  int step = 0;
  std::shared_ptr<const Model> model;
};

/// A checkpoint is one .safetensors file: weights, both moments, reports. Written whole or not at all, so a
/// full disk leaves the old one. Errors on reading: a checkpoint of another model or task, or of data
/// that have changed since.
/// `earlier`: models of the run after earlier steps, oldest first, to go back to.
Status save_checkpoint(const std::string& path, const Trainer& trainer,
                       const std::vector<EarlierModel>& earlier = {});
Result<TrainState> read_checkpoint(const std::string& path, const Trainer& trainer);
/// The earlier models that a checkpoint holds, oldest first.
Result<std::vector<EarlierModel>> read_earlier(const std::string& path, const Trainer& trainer);

/// The settings of a checkpoint's run, enough to make the same Trainer again.
struct CheckpointHead {
  std::string task;
  TaskSizes sizes;
  Recipe recipe;
  std::uint64_t seed = 0;
  int step = 0;
  DataSource data;  ///< of a task from a file; its path is empty otherwise
};
/// Errors: a file that is no checkpoint.
Result<CheckpointHead> read_checkpoint_head(const std::string& path);

}  // namespace attnscope
