#include "core/calc/calculation.h"

namespace attnscope {

Result<Calculation> calculate(const Described& described, const Workload& work) {
  TRY_OK(check_workload(work));
  Calculation out;
  out.parameters = parameters(described);
  out.cache = kv_cache(described, work);
  out.forms = cache_forms(described, work);
  out.forward = forward_cost(described, work);
  out.traffic = memory_traffic(described, work);
  out.rule = rule_of_thumb(described.config);
  for (const Count count : {out.parameters.total, out.cache.total(), out.forms.mha, out.forms.no_windows,
                            out.forward.prefill.total(), out.forward.decode.total(), out.forward.images,
                            out.forward.passes_without_cache, out.rule, out.traffic.weights,
                            out.traffic.prefill, out.traffic.decode})
    if (!count.fits()) return fail(Code::out_of_range, "error.calc.too_large");
  out.slips = slips_of(described, work);
  out.notes = counting_notes(described, work);
  return out;
}

}  // namespace attnscope
