// The backward pass of the run on screen: its loss, the gradients of one
// sequence, its steps in reverse order, and checks of single gradients against finite
// differences. Computed beside the frame. What has no loss has an Error that says why.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/io/named.h"
#include "core/model/gradient_provenance.h"
#include "core/session/session.h"
#include "core/session/weight_gradients.h"

namespace attnscope {

/// The rows of a run that count in its loss.
enum class LossRows : std::uint8_t { as_trained, all, last };
inline constexpr Named<LossRows> kLossRows[] = {
    {"as_trained", LossRows::as_trained}, {"all", LossRows::all}, {"last", LossRows::last}};
/// The targets of the loss of a run.
struct LossChoice {
  LossRows rows = LossRows::as_trained;
  int target = -1;  ///< target of the last counted row; < 0: the token that follows it
  bool operator==(const LossChoice&) const = default;
};
/// The rows that counted in the training of a model, where its card has them.
std::optional<CountedRows> trained_rows(const OpenedModel& opened);
/// The loss of a run. Causal models: the target of a row is the next token, of the last one `target`.
/// Bidirectional models: rows have their own token as target, [MASK] ones `target` or the output that is
/// most likely. One output for the whole input (classifiers): `target`, or the largest. `trained`: rows
/// that count as_trained; nullopt: all. Errors: no head, nothing that could be a target.
Result<Objective> default_objective(const Trace& trace, const LossChoice& choice = {},
                                    const std::optional<CountedRows>& trained = {});

/// The gradients of one sequence of a run.
struct BackwardResult {
  std::uint64_t version = 0;              ///< grows with every result: the key of textures
  std::shared_ptr<const RunResult> run;   ///< whose backward pass this is
  std::shared_ptr<const RunResult> walk;  ///< the same with the steps that have gradients, last one first
  int sequence = 0;                       ///< as requested
  LossChoice choice;                      ///< as requested
  std::optional<Error> error;             ///< why there are none: then what follows is empty
  std::shared_ptr<const Gradients> gradients;
  double loss = 0;             ///< mean of `losses` over the counted rows
  std::vector<double> losses;  ///< -log p(target) of each row of logits; NaN where none counts
  bool hidden = false;  ///< the rows that count are [MASK] tokens; else `choice.target` is for the last row
  std::vector<int> likely;  ///< most likely outputs of the row that choice.target is for, best first
  std::map<Site, std::vector<Site>> readers;  ///< the steps with gradients that read a step

  const std::vector<Site>& readers_of(const Site& site) const;
  /// The addends of a cell of the gradient of a step. Errors: no such gradient, no such cell.
  Result<GradientExplanation> why(const Site& site, const std::vector<std::int64_t>& index) const {
    return explain_gradient(*gradients, readers_of(site), site, index);
  }
};
/// The backward pass of one sequence of a run; errors are inside.
std::shared_ptr<const BackwardResult> grads_of(std::shared_ptr<const RunResult> run, int sequence,
                                               const LossChoice& choice);
/// Those of `steps` that have gradients, in reverse order.
std::vector<TimelineStep> reversed_steps(const std::vector<TimelineStep>& steps, const Gradients& gradients);

/// A gradient from the backward pass and as measured by finite differences.
struct GradientCheck {
  std::string name;  ///< "blocks.0.attn.q.grad"
  std::vector<std::int64_t> index;
  std::uint64_t grads = 0;  ///< Gradients::version
  bool done = false;
  std::optional<Error> error;
  FiniteDifference numbers;
  /// Both numbers are equal within the uncertainty of the measurement.
  bool agrees() const;
};

/// For the window: follow() once per frame, the newest gradients, a check when a button is pressed.
class BackwardRun {
 public:
  /// Computes the gradients of this run, sequence and loss where they are not there or under way.
  void follow(Workers& workers, const std::shared_ptr<const RunResult>& run, int sequence,
              const LossChoice& choice);
  /// The newest gradients: of the run before while those of the newest are computed; null before the first,
  /// and where another model or input was opened.
  std::shared_ptr<const BackwardResult> newest() const;
  /// Checks the gradient of a cell of a step, or of the weight `weight` where that is not empty.
  void check(Workers& workers, std::shared_ptr<const BackwardResult> grads, const Site& site,
             const std::string& weight, std::vector<std::int64_t> index);
  /// The newest check, or null.
  std::shared_ptr<const GradientCheck> checked() const { return values_->check.newest(); }
  /// Gives up what is under way.
  void cancel() { values_->grads.cancel(); }

 private:
  struct Values {
    Computed<std::shared_ptr<const BackwardResult>> grads;
    Computed<GradientCheck> check;
  };
  std::shared_ptr<Values> values_ = std::make_shared<Values>();  ///< shared by copies
  std::weak_ptr<const Trace> asked_trace_;
  int asked_sequence_ = -1;
  LossChoice asked_choice_;
};

}  // namespace attnscope
