// The figure on the stage as core/view draws it, for files and the clipboard: in the easy window the one that
// is shown, else that of the open view where it has such a form (core/view), with cursor and comparison.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/state/frame_state.h"
#include "core/view/view.h"

namespace attnscope {

struct ShownView {
  const ViewSpec* view = nullptr;
  ViewState state;
  std::shared_ptr<const RunResult> run, other;  ///< whose traces `state` shows
};
/// Why nothing of the stage may be copied or written now: a page of a lesson hides a part of it.
std::optional<Error> why_hidden(const FrameState& state);
/// Why the open view, or its page, cannot be written as PDF, picture of the figure alone, or data. Cheap.
std::optional<Error> why_no_figure(const FrameState& state);
inline bool has_figure(const FrameState& state) { return !why_no_figure(state); }
/// Nothing where has_figure() is false or there is no run.
std::optional<ShownView> shown_view(const FrameState& state);

/// A report (core/view/report.h) instead of a figure: "out.html".
bool is_report_path(const std::string& path);
/// What writes the file, on any thread. Errors: there is no figure, or it cannot be drawn.
Result<std::function<Status()>> shown_figure_writer(const FrameState& state, const ExportRequest& request);
/// Writes the figure in a background job, with its session inside; a notice shows its path or the error.
void export_shown_figure(FrameState& state, const ExportRequest& request);
/// The session with views and cursor, as figures that are written to `path` carry it; empty where nothing is
/// open that a session can name. `shown`: of a figure of that view alone, which an answer of Ask is without
/// what clicks on its cells put into the document.
std::string session_to_carry(const FrameState& state, const std::string& path, const nlohmann::json& figure,
                             const ShownView* shown = nullptr);
/// Copies the tables of the figure: as Markdown with the digits that it shows, else with tabs and all digits.
void copy_values(FrameState& state, bool markdown);

}  // namespace attnscope
