// Perplexity of the open text, token by token. Draws probabilities computed in
// core.
#pragma once

#include "app/views/view.h"
#include "core/sample/chances.h"

namespace attnscope {

/// Draws at `at`; returns the clicked row, or -1. `pos`: the current row.
std::int64_t draw_output_text(const ViewContext& context, const std::vector<RowChance>& rows,
                              std::int64_t pos, ImVec2 at, ImVec2 room);

}  // namespace attnscope
