// The perplexity of the text that is open, token by token. Refuses to compute: it shows the chances it is
// given.
#pragma once

#include "app/views/view.h"
#include "core/sample/chances.h"

namespace attnscope {

/// Draws at `at`; gives the row that was clicked, or -1. `pos`: the row that is looked at.
std::int64_t draw_output_text(const ViewContext& context, const std::vector<RowChance>& rows,
                              std::int64_t pos, ImVec2 at, ImVec2 room);

}  // namespace attnscope
