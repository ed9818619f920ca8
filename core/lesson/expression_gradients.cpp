// The loss of a run and its gradient at one number, as in the backward mode of the window.

#include "core/base/text.h"
#include "core/lesson/expression_node.h"
#include "core/session/backward_run.h"
#include "core/trace/inside.h"
#include "core/trace/place_cells.h"

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
  TRY(const PlaceText place, parse_place(arguments[0].text));
  TRY(const std::vector<Target> targets, targets_of(scope.run.trace(scope.sequence), place));
  const Target& target = targets.front();
  std::vector<std::int64_t> index;
  for (const AxisRange& range : target.at) index.push_back(range.begin);
  const Record* record =
      target.kind == Target::Kind::step ? scope.run.trace(scope.sequence).find(target.site) : nullptr;
  if (target.kind == Target::Kind::step && !(record && is_cell(index, record->shape)))
    return fail(Code::not_found, "error.lesson.no_step", {in_quotes(arguments[0].text)});
  if (record) return ExpressionValue::of(static_cast<double>(gradients->cell(target.site, index)));
  const auto weights = gradients->weights();
  const auto found = weights.find(target.weight);
  if (found == weights.end() || !is_cell(index, found->second.sizes()))
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
