// The backward pass, with the Trace as its tape: the gradient of a loss with respect to every
// step and every weight, under the names of the forward. Steps stand in reverse order of execution.
// Attention's scores and patterns have gradients too, computed by the rectangle like themselves. Edits of the
// run have a backward too. Error: recordings of other programs, which have no weights.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/model/measure.h"
#include "core/ops/backward.h"
#include "core/trace/hook.h"
#include "core/trace/trace.h"

namespace attnscope {

/// What the gradients are of: a measure of one row of logits where one is given, else `factor` times the sum
/// of the cross-entropies of the rows with a target.
struct Objective {
  std::vector<int> targets;  ///< one per row of logits: the next token, or kNotCounted (ignore_index)
  double smoothing = 0;      ///< label smoothing
  double factor = 0;         ///< of the sum; 0 = 1 / number of counted rows (the mean)
  std::optional<LogitMeasure> measure = std::nullopt;
};

/// One use of a weight by one run, before it is multiplied out: uses of many runs are added into one product
/// (collect).
struct WeightUse {
  enum class Kind : std::uint8_t { product, rows, ready };
  std::string name;  ///< of the weight: "blocks.3.attn.q.weight"
  Kind kind = Kind::ready;
  Tensor x;   ///< product: what was multiplied [row, in]
  Tensor dy;  ///< product: gradients of the result [row, out]; rows: of the rows taken [row, d]; ready:
              ///< the gradient of the weight itself, in its shape
  std::vector<int> ids;  ///< rows: which rows of the table
};

class Gradients {
 public:
  /// The run that this is the backward of.
  const Trace& trace() const { return *trace_; }
  const CrossEntropy& loss() const { return loss_; }
  const Objective& objective() const { return objective_; }
  /// The objective's value: the measure, or the weighted sum of cross-entropies.
  double value() const;
  /// The steps that have gradients, the last step of the forward first. A record's value has the shape of the
  /// step; derived ones (scores .. pattern, logits) are read with slice().
  const std::vector<Record>& records() const { return records_; }
  const Record* find(const Site& site) const;
  /// Rectangle of the gradients of a step, as Trace::slice gives the step itself. Empty where it has none.
  Tensor slice(const Site& site, std::int64_t head, Range rows, Range cols) const;
  /// One number; NaN where there is none. Index has the step's axes.
  float cell(const Site& site, const std::vector<std::int64_t>& index) const;
  /// Gradients of all weights by this sequence alone: the weights' own names and shapes.
  std::map<std::string, Tensor> weights() const;
  const std::vector<WeightUse>& uses() const { return uses_; }
  /// Rows of logits.
  std::int64_t predictions() const;
  /// The gradient of a step before its edits (passed through them): cell() and slice() where it has none.
  float passed(const Site& site, const std::vector<std::int64_t>& index) const;
  Tensor passed(const Site& site, std::int64_t head, Range rows, Range cols) const;

 private:
  friend class Backward;
  static Result<std::shared_ptr<const Gradients>> make(std::shared_ptr<const Trace> trace,
                                                       Objective objective, bool keeps_steps);
  friend Result<std::shared_ptr<const Gradients>> backward(std::shared_ptr<const Trace>, Objective);
  friend Result<std::shared_ptr<const Gradients>> backward_of_weights(std::shared_ptr<const Trace>,
                                                                      Objective);
  std::shared_ptr<const Trace> trace_;
  Tensor edited_rows(const Site& site, std::int64_t head, Range rows, Range cols, Tensor plain,
                     bool passed) const;
  Tensor score_gradients(const Site& site, std::int64_t head, Range rows, Range cols, bool passed) const;
  Tensor logit_gradients(const Tensor& of_rows, Range rows, Range cols) const;

  Objective objective_;
  CrossEntropy loss_;
  double measured_ = 0;
  std::map<Site, Tensor> passed_;    // of edited steps: what went on through their edits
  std::map<Site, Tensor> weighted_;  // z before its edits, where it has some
  std::vector<std::int64_t> rows_;   // that have a target, or that edits of the logits read
  Tensor logits_, logits_passed_;    // gradients of their logits [row, vocab], and what passes their edits
  std::vector<Record> records_;
  std::map<Site, int> index_;
  std::vector<WeightUse> uses_;
  std::map<Site, std::map<std::int64_t, StageEdits::Sent>> sent_;  // by z and head: to rows that edits read
};

/// The backward pass from an objective at the run's logits, through the edits that it was run under. Errors:
/// targets that do not fit the rows or the vocabulary, a model without a head, a run that has no backward
/// pass.
Result<std::shared_ptr<const Gradients>> backward(std::shared_ptr<const Trace> trace, Objective objective);
/// The same of a run without edits where only its loss and the gradients of weights are read: steps keep
/// none.
Result<std::shared_ptr<const Gradients>> backward_of_weights(std::shared_ptr<const Trace> trace,
                                                             Objective objective);

/// Gradients of all weights, summed over the sequences in their order: the same bits on any number of
/// threads. Weights that are one (a tied unembedding, an encoder's shared table) appear once, under the name
/// that `parameters` gives them.
std::map<std::string, Tensor> collect(std::span<const std::shared_ptr<const Gradients>> runs);

/// The names of the weights that can be trained, each once: shared weights under the name of the table.
std::vector<std::string> parameters(const ModelConfig& config, const Weights& weights);
/// The weights with these exchanged, shared ones in all their places.
Weights with_parameters(const ModelConfig& config, const Weights& weights,
                        const std::map<std::string, Tensor>& changed);

/// "blocks.3.attn.q.grad": the name of the gradient of a step; a weight's is its name with ".grad" behind.
std::string gradient_name(const Site& site);

/// The gradient of the loss by one number, from the backward pass and measured: the forward is run
/// with that number moved by h and 2h to both sides (finite differences).
struct FiniteDifference {
  double analytic = 0, measured = 0;
  double step = 0;         ///< h
  double uncertainty = 0;  ///< of `measured`: bend and rounding
};
/// `index` has the step's axes. Errors: a step without a gradient, a cell that is not there.
Result<FiniteDifference> check_cell(const Gradients& gradients, const Site& site,
                                    const std::vector<std::int64_t>& index);
/// The same for one number of a weight.
Result<FiniteDifference> check_weight(const Gradients& gradients, const std::string& name,
                                      const std::vector<std::int64_t>& index);

}  // namespace attnscope
