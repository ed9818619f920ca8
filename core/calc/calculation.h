// All that the calculators say of one model at one workload. Refuses numbers beyond the largest whole number
// of 64 bits.
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
