#include "app/state/presenter.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <utility>

#include "app/state/cursor.h"
#include "app/state/frame_state.h"
#include "app/widgets/navigation.h"
#include "core/lab/lab.h"

namespace attnscope {
namespace {

// At 1280 x 720. With kNumberScale, numbers of 11 units are 18 pixels high.
constexpr float kNumberScale = 1.65f, kDenseScale = 1.5f,
                kPairScale = 1.1f;  // of each half, when there are two
constexpr std::size_t kMostMoments = 1000;

Presenter::Moment now(const FrameState& state) {
  const Workspace& workspace = state.workspace;
  return {state.session.opened_version(),
          workspace.cursor,
          workspace.view,
          workspace.show_difference,
          workspace.log_scale,
          workspace.backward,
          state.presenter.zoom};
}

bool go_back(FrameState& state) {
  auto& trail = state.presenter.trail;
  while (!trail.empty() && trail.back().opened != state.session.opened_version()) trail.pop_back();
  if (trail.empty()) return false;
  const Presenter::Moment& then = trail.back();
  Workspace& workspace = state.workspace;
  workspace.cursor = then.cursor;
  workspace.view = then.view;
  workspace.show_difference = then.difference;
  workspace.log_scale = then.log_scale;
  workspace.backward = then.backward;
  state.presenter.zoom = then.zoom;
  trail.pop_back();
  if (state.run) tidy_cursor(workspace.cursor, *state.run);
  return true;
}

// In the labs view a page is one lab; labs keep their values.
void turn_lab(Workspace& workspace, int by) {
  const std::vector<Lab>& all = labs();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Lab& lab) { return lab.id() == workspace.lab; });
  const std::ptrdiff_t next = found == all.end() ? 0 : found - all.begin() + by;
  if (next >= 0 && next < std::ssize(all)) workspace.lab = all[static_cast<std::size_t>(next)].id();
}

}  // namespace

void set_presenting(FrameState& state, bool on) {
  if (on == state.presenter.on) return;
  state.presenter = {};
  state.presenter.on = on;
  state.presenter.notes = on && state.screens > 1;
  state.presenter.began = std::chrono::steady_clock::now();
  state.workspace.presenting = on;
  state.apply_theme();
}

std::uint64_t presented_page(const FrameState& state) {
  const Workspace& workspace = state.workspace;
  const Cursor& cursor = workspace.cursor;
  Hash hash;
  for (const std::string* text : {&workspace.view, &workspace.station, &workspace.lab})
    hash.take(key_of(*text));
  for (const std::int64_t number :
       {static_cast<std::int64_t>(cursor.step.stack), static_cast<std::int64_t>(cursor.step.layer),
        static_cast<std::int64_t>(cursor.step.part), static_cast<std::int64_t>(cursor.step.slot),
        static_cast<std::int64_t>(workspace.backward), static_cast<std::int64_t>(state.lecture.at()),
        static_cast<std::int64_t>(state.lessons.open() ? state.lessons.page_index() : -1)})
    hash.take(static_cast<std::uint64_t>(number));
  return hash.value();
}

void wipe_strokes(FrameState& state) {
  std::erase_if(state.presenter.strokes, [page = presented_page(state)](const Presenter::Stroke& stroke) {
    return stroke.page == page;
  });
}

void rest_pointer(FrameState& state) {
  Presenter& presenter = state.presenter;
  Presenter::Resting& resting = presenter.resting;
  if (!presenter.on) return;
  ImGuiIO& io = ImGui::GetIO();
  const bool there = ImGui::IsMousePosValid(&io.MousePos);
  const auto far = [](ImVec2 a, ImVec2 b) { return std::abs(a.x - b.x) > 1 || std::abs(a.y - b.y) > 1; };
  if (const std::uint64_t slide = presented_page(state); slide != resting.slide) {
    const bool moves = there && resting.slide != 0 && (io.MouseDelta.x != 0 || io.MouseDelta.y != 0);
    if (there && !resting.on) resting.at = io.MousePos;
    resting.slide = slide, resting.on = !moves;
  }
  if (!resting.on) return;
  const bool held = ImGui::IsAnyMouseDown(),
             tool = presenter.pen || presenter.spotlight.on || presenter.magnifier.on;
  if (held || tool || (there && far(io.MousePos, resting.at))) {
    resting.on = false;
    if (!there) io.MousePos = resting.at;
    return;
  }
  io.MousePos = ImVec2(-FLT_MAX, -FLT_MAX);
  ImGui::SetMouseCursor(ImGuiMouseCursor_None);
}

bool presents_pair(const FrameState& state) {
  const Workspace& workspace = state.workspace;
  return state.presenter.on && state.session.pinned() && !workspace.second_view.empty() &&
         workspace.shows_pinned[0] != workspace.shows_pinned[1];
}

bool has_pages(const FrameState& state) {
  const std::string& view = state.workspace.view;
  return state.pages || view == "steps" || view == "labs";
}

void turn_page(FrameState& state, int by) {
  Presenter& presenter = state.presenter;
  if (presenter.on && std::exchange(presenter.black, false)) return;
  if (state.pages) return state.pages(state, by);
  state.workspace.playing = false;
  if (state.film) return (void)state.film(state, by);
  if (state.workspace.view == "labs") return turn_lab(state.workspace, by);
  if (by < 0 && presenter.on && go_back(state)) return;
  if (presenter.on && !has_pages(state)) return;  // the step would change invisibly
  const Presenter::Moment before = now(state);
  if (!walk(state.workspace, *state.walked, by) || by < 0 || !presenter.on) return;
  if (presenter.trail.size() < kMostMoments) presenter.trail.push_back(before);
}

float presenter_scale(const FrameState& state, float width, float height) {
  const std::string& view = state.workspace.view;
  const bool one_figure = (view == "steps" && !state.workspace.backward) || view == "output";
  constexpr std::string_view kNumbers[] = {"position", "mask",      "residual", "mlp",
                                           "kv",       "embedding", "ask",      "labs"};
  const bool numbers = std::find(std::begin(kNumbers), std::end(kNumbers), view) != std::end(kNumbers);
  const float scale = one_figure ? kPresenterScale : numbers ? kNumberScale : kDenseScale;
  const float fits = std::min(width / 1280, height / 720) * (presents_pair(state) ? kPairScale : scale);
  return std::clamp(fits * state.presenter.zoom, 0.6f, 5.f);
}

}  // namespace attnscope
