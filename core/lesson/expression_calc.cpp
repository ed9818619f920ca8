// calc() and cache(): numbers of models that are known by their sizes alone.
#include "core/arch/presets.h"
#include "core/calc/cache.h"
#include "core/calc/parameters.h"
#include "core/lesson/expression_node.h"

namespace attnscope {

Result<ExpressionValue> expression_calc(const std::vector<ExpressionValue>& of, const ExpressionScope&) {
  TRY(const Described described, describe_preset(of[0].text));
  const std::string& what = of[1].text;
  if (what == "norm_eps") return ExpressionValue::of(static_cast<double>(described.config.final_norm.eps));
  if (what == "max_seq_len")
    return ExpressionValue::of(static_cast<double>(described.config.position.max_positions));
  const Parameters counted = parameters(described);
  if (what == "total") return ExpressionValue::of(counted.total.real());
  for (std::size_t part = 0; part < kParameterParts.size(); ++part)
    if (part_name(kParameterParts[part]) == what) return ExpressionValue::of(counted.by_part[part].real());
  return fail(Code::bad_format, "error.lesson.expression.takes", {"calc"});
}

Result<ExpressionValue> expression_cache(const std::vector<ExpressionValue>& of, const ExpressionScope&) {
  TRY(const Described described, describe_preset(of[0].text));
  Workload work;
  work.seq = static_cast<std::int64_t>(of[1].number());
  TRY_OK(check_workload(work));
  return ExpressionValue::of(kv_cache(described, work).total().real());
}

}  // namespace attnscope
