// Files that are written while the window goes on.
#include "app/figure/svg.h"
#include "app/state/frame_state.h"
#include "app/state/shown_figure.h"
#include "app/widgets/clipboard.h"
#include "core/export/export.h"

namespace attnscope {

void FrameState::write_figure(const std::string& path, std::string svg) {
  written_path_ = path;
  writing_.begin(session.workers(), [path, svg = std::move(svg)] { return write_svg(path, svg); });
}

void FrameState::write_in_background(const std::string& path, std::function<Status()> write) {
  written_path_ = path;
  writing_.begin(session.workers(), std::move(write));
}

void FrameState::poll_writing() {
  if (refused_copy())
    notify(Notice::Kind::warning, Text::of("frame.copy_refused"), Text::of("frame.copy_refused.hint"), 0);
  const auto written = writing_.take();
  if (!written) return;
  if (*written && written_path_.empty())
    return notify(Notice::Kind::good, Text::of("export.copied_picture"), {}, 8);
  const auto form = exporter_of_path(written_path_);
  const char* done = is_report_path(written_path_) ? "frame.export.report"
                     : form && !(*form)->picture   ? "frame.export.values"
                                                   : "frame.export.done";
  if (*written) return notify(Notice::Kind::good, Text::of(done, {written_path_}), {}, 8);
  notify(written->error());
}

}  // namespace attnscope
