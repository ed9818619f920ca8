// grammar(): what the lab "grammar" measures, as in grammar('grammar,relation=pronoun', 'head').
#include <atomic>

#include "core/lab/relation_run.h"
#include "core/lesson/expression_node.h"

namespace attnscope {

Result<ExpressionValue> expression_grammar(const std::vector<ExpressionValue>& of, const ExpressionScope&) {
  TRY(const LabRequest asked, parse_lab_request(of[0].text));
  const auto refused = [] { return fail(Code::bad_format, "error.lesson.expression.takes", {"grammar"}); };
  if (asked.lab->id() != "grammar") return refused();
  const GrammarQuestion question = grammar_question(asked.values);
  const std::atomic<bool> cancel = false;
  TRY(const auto run, relation_run(question.model, question.texts, cancel));
  const RelationScore* score = run->find(question.relation, question.stack);
  const RelationHead* best = score ? score->best() : nullptr;
  if (!best) return refused();
  const std::string& what = of[1].text;
  if (what == "head") return ExpressionValue::of(best->accuracy);
  if (what == "distance") return ExpressionValue::of(score->fixed);
  if (what == "weight") return ExpressionValue::of(best->weight);
  return refused();
}

}  // namespace attnscope
