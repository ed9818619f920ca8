// What is built until several goals hold, and probes: looks into a run that has a fault.
#include "core/lesson/check_parts.h"
#include "core/lesson/page_document.h"

namespace attnscope {

Result<std::vector<GoalNow>> goals_now(const Lesson& lesson, const Page& page, const ExpressionScope& scope) {
  const auto* ask = std::get_if<ChangeAsk>(&page.ask);
  std::vector<GoalNow> out;
  if (!ask) return out;
  for (const ChangeAsk::Goal& goal : ask->goals) {
    TRY(const double reached, goal.when.number(scope));
    TRY(const double value, goal.value.number(scope));
    out.push_back(
        {Text::of(page_key(lesson, page, "goal." + goal.id), {live_number(value, false)}), reached != 0});
  }
  return out;
}

Result<LookTold> look_told(const ChoiceAsk::Look& look, const ExpressionScope& scope) {
  TRY(const double faulty, look.value.number(scope));
  if (!scope.before) return LookTold{live_number(faulty, false), {}};
  TRY(const double whole, look.value.number({*scope.before, scope.before, scope.sequence, scope.variables}));
  return LookTold{live_number(faulty, false), live_number(whole, false)};
}

Result<std::shared_ptr<const RunResult>> run_with_fault(const RunResult& first, const ChoiceAsk& ask) {
  auto out = std::make_shared<RunResult>(first);
  for (const auto& edit : ask.fault) put_edit(out->document, edit);
  TRY(out->traces, run_all(out->document, {}, {}));
  return std::shared_ptr<const RunResult>(std::move(out));
}

}  // namespace attnscope
