// A measure in words, as views and tables call it.
#pragma once

#include <string>

#include "core/arch/open.h"
#include "core/model/measure.h"

namespace attnscope {

/// "cat − mat", "logit of cat", "P(cat)", "KL".
std::string measure_name(const OpenedModel& opened, const LogitMeasure& measure);

}  // namespace attnscope
