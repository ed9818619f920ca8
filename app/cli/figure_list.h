// attnscope-cli figure --list: the views, their pages and what can be chosen in each.
#pragma once

#include "app/cli/figure_options.h"

namespace attnscope::cli {

/// Prints them: pages, limits and defaults as they are for the model of `options`, the shipped default where
/// it names none. With --json {"rows": [{"view", "model", "pages", "controls"}], "run"}: each control as
/// control_json(), with "level", "sentence", and of a lab "page".
Status list_views(FigureOptions options);

}  // namespace attnscope::cli
