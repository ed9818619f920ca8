// The loss of a run and its gradient at one number, as the backward mode of the window has them.
#include "core/base/text.h"
#include "core/lesson/expression_node.h"
#include "core/session/backward_run.h"

namespace attnscope {
namespace {

Result<std::shared_ptr<const Gradients>> gradients_of(const ExpressionScope& scope, LossRows rows) {
  const auto index = static_cast<std::size_t>(scope.sequence);
  const RunResult& run = scope.run;
  LossChoice choice;
  choice.rows = rows;
  TRY(Objective objective, default_objective(*run.traces[index], choice, trained_rows(*run.document.opened)));
  return backward(run.traces[index], std::move(objective));
}

}  // namespace

Result<ExpressionValue> expression_gradient(const std::vector<ExpressionValue>& arguments,
                                            const ExpressionScope& scope) {
  TRY(const auto gradients, gradients_of(scope, LossRows::as_trained));
  TRY(const Target target, parse_target(arguments[0].text));
  std::vector<std::int64_t> index;
  for (const AxisRange& range : target.at) index.push_back(range.begin);
  if (target.kind == Target::Kind::step)
    return ExpressionValue::of(static_cast<double>(gradients->cell(target.site, index)));
  const auto weights = gradients->weights();
  const auto found = weights.find(target.weight);
  if (found == weights.end() || static_cast<int>(index.size()) != found->second.rank())
    return fail(Code::not_found, "error.lesson.place.weight", {in_quotes(arguments[0].text)});
  return ExpressionValue::of(static_cast<double>(found->second.at(index)));
}

Result<ExpressionValue> expression_loss(const std::vector<ExpressionValue>& arguments,
                                        const ExpressionScope& scope) {
  const bool all = !arguments.empty() && arguments[0].text == "all";
  TRY(const auto gradients, gradients_of(scope, all ? LossRows::all : LossRows::as_trained));
  return ExpressionValue::of(gradients->value());
}

}  // namespace attnscope
