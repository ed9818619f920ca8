// The next-token distribution as rows, in the order of what happens to it: logit, repetition penalty, divided
// by the temperature, softmax (bar and probability), what the cuts leave. Refuses to compute: it shows the
// summary it is given.
#pragma once

#include <imgui.h>

#include <functional>

#include "core/arch/open.h"
#include "core/sample/summary.h"

namespace attnscope {

/// Of the header over the rows, pixels.
float output_head_height();
/// How the rows are meant.
struct OutputRows {
  const char* help = "output.row.help";  ///< key of a row's tooltip: {0} name, {1} id, {2} rank
  const char* name = "output.column.token";
  bool sampled = true;  ///< the stages of the choice, what is left after cutting, and the mark at the choice
  Sampling sampling = {};                  ///< of these stages
  float height = 22;                       ///< of a row, pixels
  std::function<void(int id)> offer = {};  ///< called behind the item of each token
};
/// Draws `shown` tokens and the rest as one bar below them; the index of the token that was clicked, or -1.
int draw_next_tokens(const NextSummary& summary, const OpenedModel& opened, std::size_t shown,
                     const OutputRows& rows, ImVec2 at, float width);

}  // namespace attnscope
