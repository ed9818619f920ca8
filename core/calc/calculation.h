// All results of the calculators for one model at one workload. Error (out_of_range): numbers beyond the
// range of int64.
#pragma once

#include <vector>

#include "core/calc/cache.h"
#include "core/calc/flops.h"
#include "core/calc/parameters.h"
#include "core/calc/slips.h"

namespace attnscope {

struct Calculation {
  Parameters parameters;
  CacheSize cache;
  CacheForms forms;
  ForwardCost forward;
  MemoryTraffic traffic;
  Count rule;  ///< 12 L d², as rule_of_thumb() counts it
  std::vector<Text> slips, notes;
};
/// Errors: a workload out of range; a number that 64 bits do not hold.
Result<Calculation> calculate(const Described& described, const Workload& work);

}  // namespace attnscope
