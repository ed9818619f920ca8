// Preview of a change's reach, while the user is still choosing it: views tint the rows of each step that the
// change would affect. Holds one function for the whole window; computes and draws nothing.
#pragma once

#include <cstdint>
#include <functional>

#include "core/step/site.h"
#include "core/trace/rows.h"

namespace attnscope {

/// Rows of a step (of one head where the step has heads and head >= 0) to tint; an empty range: none.
using ShadedRows = std::function<Range(const Site& site, std::int64_t head)>;
/// Sets the function for all frames from now on; an empty function: no tint. Returns the previous one.
ShadedRows shade(ShadedRows rows);
Range shaded_rows(const Site& site, std::int64_t head = -1);

}  // namespace attnscope
