#include "app/shell/worksheet.h"

#include "app/shell/frame.h"
#include "app/shell/picture.h"
#include "core/base/words.h"
#include "core/lesson/worksheet.h"
#include "core/system/atomic_file.h"

namespace attnscope {
namespace {

constexpr int kWorksheetWidth = 1280, kSheetHeight = 720, kStillFrames = 3;

}  // namespace

Result<std::string> drawn_worksheet(const SheetRequest& request, ImguiHost& host) {
  Session session;
  Frame frame(session);
  FrameState& state = frame.state();
  state.settings.theme = ThemeKind::light;
  state.workspace.animate = false;
  set_presenting(state, true);
  state.presenter.words = false;
  TRY_OK(state.lessons.start(state, request.lesson));
  const Lesson& lesson = state.lessons.lesson();
  const float usual = ui_scale();
  std::vector<std::string> pictures;
  host.begin_picture(kWorksheetWidth, kSheetHeight);
  for (std::size_t i = 0; i < lesson.pages.size(); ++i) {
    if (i > 0) state.lessons.go(state, static_cast<int>(i));
    host.set_scale(presenter_scale(state, kWorksheetWidth, kSheetHeight));
    settle(session, host, frame, kStillFrames);
    auto svg = stage_as_svg(host, frame);
    pictures.push_back(svg ? *std::move(svg) : std::string());  // empty for a view without a figure
  }
  host.end_picture();
  host.set_scale(usual);
  return worksheet_html(lesson, request.answers, pictures);
}

void write_worksheet(const SheetRequest& request, ImguiHost& host, FrameState& state) {
  const Result<std::string> html = drawn_worksheet(request, host);
  state.apply_theme();
  const Status written = html ? write_file(request.path, *html) : Status(html.error());
  if (!written) return state.session.report(written.error());
  state.notify(Notice::Kind::good, tr("worksheet.done", {request.path}));
}

}  // namespace attnscope
