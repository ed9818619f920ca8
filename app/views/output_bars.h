// The next-token distribution as rows, in the order of the sampling steps: logit, repetition penalty,
// division by the temperature, softmax (bar and probability), what remains after top-k, top-p and min-p.
// Draws a summary computed in core/sample.
#pragma once

#include <imgui.h>

#include <functional>

#include "app/views/view.h"
#include "core/arch/open.h"
#include "core/sample/summary.h"

namespace attnscope {

/// Height of the header above the rows, pixels.
float output_head_height();
/// Display options of the rows.
struct OutputRows {
  const char* help = "output.row.help";  ///< string key of the tooltip: {0} name, {1} id, {2} rank
  const char* name = "output.column.token";
  bool sampled = true;     ///< sampling steps, what remains after the cuts, and the sampled token's mark
  Sampling sampling = {};  ///< settings of these steps
  float height = 22;       ///< row height, pixels
  std::function<void(int id)> offer = {};  ///< called after the item of each token
  /// The name of a token with what it stands for; null: its name alone.
  std::function<std::string(int id)> named = {};
};
/// Draws `shown` tokens and the rest as one bar below them; returns the index of the clicked token, or -1.
int draw_next_tokens(const NextSummary& summary, const OpenedModel& opened, std::size_t shown,
                     const OutputRows& rows, ImVec2 at, float width);

/// OutputRows::named of a policy that says movements, at a row: "<act_10> +6.25 cm"; null of any other model.
std::function<std::string(int)> movement_names(const ViewContext& context, const NextSummary& summary,
                                               std::int64_t row);

}  // namespace attnscope
