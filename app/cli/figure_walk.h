// What a film of attnscope-cli figure shows: a walk through pages, blocks, heads or rows of one run, an edit
// whose value grows, or several models, such as the checkpoints of a training run.
#pragma once

#include <vector>

#include "app/cli/figure_source.h"

namespace attnscope::cli {

/// A picture of the film: its state and what that points into.
struct WalkStop {
  FigureSource source;
  ViewState state;
};
/// By options.walk: "pages", "layers", "heads", "rows", "models", "PLACE=A..B". Errors: a walk that the view
/// does not have; those of the edit and of the runs.
Result<std::vector<WalkStop>> walk_stops(const ViewSpec& view, const FigureOptions& options);

}  // namespace attnscope::cli
