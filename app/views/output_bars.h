// The next-token distribution as rows: token, logit, bar, probability, what is left after cutting. Refuses to
// compute: it shows the summary it is given.
#pragma once

#include <imgui.h>

#include <functional>

#include "core/arch/open.h"
#include "core/sample/summary.h"

namespace attnscope {

/// Height of one row, pixels.
float output_row_height();
/// How the rows are meant.
struct OutputRows {
  const char* help = "output.row.help";  ///< key of a row's tooltip: {0} name, {1} id, {2} rank
  const char* name = "output.column.token";
  bool sampled = true;  ///< the column of what is left after cutting, and the mark at the choice
  std::function<void(int id)> offer = {};  ///< called behind the item of each token
};
/// Draws `shown` tokens and the rest as one bar below them; the index of the token that was clicked, or -1.
int draw_next_tokens(const NextSummary& summary, const OpenedModel& opened, std::size_t shown,
                     const OutputRows& rows, ImVec2 at, float width);

}  // namespace attnscope
