// What a figure of attnscope-cli is drawn from: a model with what it reads, a session, or a figure that
// carries one.
#pragma once

#include <memory>

#include "app/cli/figure_options.h"
#include "core/view/view.h"

namespace attnscope::cli {

struct FigureSource {
  std::shared_ptr<const OpenedModel> opened;
  Document document;
  std::shared_ptr<const Trace> run;
  std::shared_ptr<const Document> pinned;  ///< what it is compared with; null: the same without its edits
  nlohmann::json look = nlohmann::json::object();  ///< of a session
  bool session = false;
  std::size_t sequence = 0;  ///< whose run it is
};

/// Takes from a session, into `options`, how its figure was drawn and where its window looked, but for what
/// the command line says. Errors: those of opening, of sessions and of the run.
Result<FigureSource> figure_source(FigureOptions& options);
/// The state to draw, at the place that the options name.
Result<ViewState> figure_state(const FigureSource& source, const FigureOptions& options);
/// View and cursor as a session has them, so that the window opens where the figure was.
nlohmann::json figure_look(const ViewSpec& view, const ViewState& state, const FigureSource& source,
                           const FigureOptions& options);

}  // namespace attnscope::cli
