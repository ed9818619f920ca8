// What a change would reach, while one thinks of making it: whoever draws a step tints the rows that are said
// here. Refuses to know why they are reached.
#pragma once

#include <cstdint>
#include <functional>

#include "core/step/site.h"
#include "core/trace/rows.h"

namespace attnscope {

/// Rows of a step (of one head where it has some and head >= 0) that are tinted; an empty range: none.
using ShadedRows = std::function<Range(const Site& site, std::int64_t head)>;
/// From now on, in every frame; none: nothing is tinted. Returns what was said before.
ShadedRows shade(ShadedRows rows);
Range shaded_rows(const Site& site, std::int64_t head = -1);

}  // namespace attnscope
