// Common mistakes about a model's numbers, with the right numbers and what the wrong ones would give.
// Only those that concern the model at hand.
#pragma once

#include <vector>

#include "core/arch/described.h"
#include "core/base/keyed_text.h"
#include "core/calc/workload.h"

namespace attnscope {

std::vector<Text> slips_of(const Described& described, const Workload& work);
/// What is counted and what is not, for this model: its class, a pooler, one table or two.
std::vector<Text> counting_notes(const Described& described, const Workload& work);

}  // namespace attnscope
