// What is often said of a model and is not so, with the right numbers and what the wrong ones would give.
// Refuses slips that do not concern the model at hand.
#pragma once

#include <vector>

#include "core/arch/described.h"
#include "core/base/keyed_text.h"
#include "core/calc/workload.h"

namespace attnscope {

std::vector<Text> slips_of(const Described& described, const Workload& work);
/// What the numbers count and what they do not, for this model: its class, a pooler, one table or two.
std::vector<Text> counting_notes(const Described& described, const Workload& work);

}  // namespace attnscope
