#include "app/panels/lesson/slide_preview.h"

#include <nlohmann/json.hpp>

#include "app/gpu/gl_context.h"
#include "app/state/cursor.h"
#include "app/state/session_look.h"
#include "app/widgets/places.h"

namespace attnscope {
namespace {

constexpr float kHigh = 720.f / 1280.f;  // of a projector's picture, by its width

Result<std::shared_ptr<const RunResult>> run_of(const SessionFile& session, const std::atomic<bool>& cancel) {
  auto run = std::make_shared<RunResult>();
  TRY(run->document, slide_document(session, &cancel));
  RunOptions options;
  options.cancel = &cancel;
  TRY(run->traces, run_all(run->document, options, {}));
  const auto& scene = run->document.opened->scene;
  run->steps = timeline(*run->traces.front(), scene ? scene->walk : "");
  run->version = Workers::new_number();
  wake_window();
  return std::shared_ptr<const RunResult>(std::move(run));
}

}  // namespace

// The state of its view, and the figure of that in a room of this size.
bool SlidePreview::place(const RunResult& run, ImVec2 size) {
  if (!view_) {
    const nlohmann::json& look = session_->contains("look") ? (*session_)["look"] : nlohmann::json::object();
    Workspace workspace;
    workspace.view = "attention";
    take_look(look, workspace);
    workspace.cursor = first_cursor(run);
    take_cursor(look, run, workspace);
    const Cursor& cursor = workspace.cursor;
    view_ = first_state(*run.document.opened, run.shared(cursor.sequence));
    look_at_cursor(*view_, cursor);
    view_->temperature = static_cast<double>(run.document.sampling.temperature);
    view_->level = workspace.level;
    const auto found = find_view(workspace.view);
    spec_ = found && (*found)->model ? *found : nullptr;
    view_->page = spec_ ? known_page(*spec_, *view_, workspace.station) : std::string();
  }
  if (!spec_) return false;
  if (!box_.stale(run.version, size, true)) return true;
  auto figure = draw_view(*spec_, *view_, true);
  return figure && box_.show(*std::move(figure), run.version, size, true);
}

bool SlidePreview::draw(const FrameState& state, int slide, float width) {
  const Slide& shown = state.lecture.slide(slide);
  if (session_ != shown.session) {
    session_ = shown.session;
    view_.reset();
    box_.clear();
  }
  const auto file = slide_session(state.lecture.lecture(), static_cast<std::size_t>(slide));
  if (!file) return false;
  const auto run =
      run_.get(reinterpret_cast<std::uintptr_t>(session_.get()), state.session.workers(),
               [session = *file](const std::atomic<bool>& cancel) { return run_of(session, cancel); });
  if (!run || !*run) return false;
  if (placed_ != **run) view_.reset();
  placed_ = **run;
  const ImVec2 size(width, width * kHigh);
  if (!place(*placed_, size)) return false;
  const ImVec2 at = ImGui::GetCursorScreenPos(), end(at.x + size.x, at.y + size.y);
  ImGui::GetWindowDrawList()->AddRectFilled(at, end, theme().ground);
  box_.draw(at);
  ImGui::GetWindowDrawList()->AddRect(at, end, theme().border);
  ImGui::Dummy(size);
  return true;
}

}  // namespace attnscope
