// The backward pass of the run that is on screen: which loss it goes back from, the gradients of one
// sequence, the walk through them in reverse order, and checks of single gradients against finite
// differences. Computed beside the frame. What has no loss has an Error that says why.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/model/gradient_provenance.h"
#include "core/session/session.h"
#include "core/session/weight_gradients.h"

namespace attnscope {

/// The rows of a run that its loss counts.
enum class LossRows : std::uint8_t { as_trained, all, last };
/// What the loss of a run should ask for.
struct LossChoice {
  LossRows rows = LossRows::as_trained;
  int target = -1;  ///< what the last counted row should say; < 0: what follows it
  bool operator==(const LossChoice&) const = default;
};
/// The rows that the training of a model counted, where its card tells.
std::optional<CountedRows> trained_rows(const OpenedModel& opened);
/// The loss of a run. Words: rows ask for the token that comes next, the last one for `target`. Models that
/// read in both directions: rows ask for their own token, hidden ones for `target` or what the model finds
/// most likely. One answer for the whole input: `target`, or the answer that is the largest. `trained`: rows
/// that count as_trained; all where nobody tells. Errors: no head, nothing that could be a target.
Result<Objective> default_objective(const Trace& trace, const LossChoice& choice = {},
                                    const std::optional<CountedRows>& trained = {});

/// The gradients of one sequence of a run.
struct BackwardResult {
  std::uint64_t version = 0;              ///< grows with every result: the key of textures
  std::shared_ptr<const RunResult> run;   ///< that was gone through
  std::shared_ptr<const RunResult> walk;  ///< the same with the steps that have gradients, last one first
  int sequence = 0;                       ///< as asked
  LossChoice choice;                      ///< as asked
  std::optional<Error> error;             ///< why there are none: then what follows is empty
  std::shared_ptr<const Gradients> gradients;
  double loss = 0;             ///< mean of `losses` over the counted rows
  std::vector<double> losses;  ///< -log p(target) of each row of logits; NaN where none counts
  bool hidden = false;  ///< the rows that count are hidden tokens; else `choice.target` is for the last row
  std::vector<int> likely;  ///< most likely outputs of the row that choice.target is for, best first
  std::map<Site, std::vector<Site>> readers;  ///< the steps with gradients that were made from a step

  const std::vector<Site>& readers_of(const Site& site) const;
  /// Why a cell of the gradient of a step is what it is. Errors: no such gradient, no such cell.
  Result<GradientExplanation> why(const Site& site, const std::vector<std::int64_t>& index) const {
    return explain_gradient(*gradients, readers_of(site), site, index);
  }
};
/// Goes back through one sequence of a run; errors are inside.
std::shared_ptr<const BackwardResult> grads_of(std::shared_ptr<const RunResult> run, int sequence,
                                               const LossChoice& choice);
/// The steps of a walk that have gradients, in reverse order.
std::vector<TimelineStep> reversed_steps(const std::vector<TimelineStep>& steps, const Gradients& gradients);

/// A gradient as the backward pass says and as measured.
struct GradientCheck {
  std::string name;  ///< "blocks.0.attn.q.grad"
  std::vector<std::int64_t> index;
  std::uint64_t grads = 0;  ///< Gradients::version
  bool done = false;
  std::optional<Error> error;
  FiniteDifference numbers;
  /// Both numbers are equal as far as the measurement can tell.
  bool agrees() const;
};

/// What the window asks: once per frame follow(), the newest gradients, a check when a button is pressed.
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
