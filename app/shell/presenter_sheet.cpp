#include "app/shell/presenter_sheet.h"

#include <algorithm>
#include <cmath>

#include "app/look/item_map.h"
#include "app/state/frame_state.h"
#include "app/widgets/matrix_lens.h"

namespace attnscope {
namespace {

constexpr float kPenMoves = 1.5f;  // pixels between two points of a stroke
constexpr float kLensWidth = 170, kLensHeight = 105, kLensFactor = 2.2f;
constexpr int kRim = 96;  // vertices of the spotlight's rim
constexpr ImGuiWindowFlags kSheet = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBackground |
                                    ImGuiWindowFlags_NoScrollWithMouse;

// Darkens the screen except for a circle around the mouse pointer, with a soft edge.
void draw_spotlight(ImDrawList* list, ImVec2 centre, ImVec2 screen, float scale) {
  const float radius = 105 * scale, far = screen.x + screen.y;
  const float radii[] = {radius * 0.9f, radius, far};
  const ImU32 dark = IM_COL32(0, 0, 0, 185), colours[] = {IM_COL32(0, 0, 0, 0), dark, dark};
  const ImVec2 white = ImGui::GetFontTexUvWhitePixel();
  list->PrimReserve(kRim * 12, (kRim + 1) * 3);
  const auto first = static_cast<unsigned>(list->_VtxCurrentIdx);
  for (int corner = 0; corner <= kRim; ++corner) {
    const float angle = 6.2831853f * static_cast<float>(corner) / kRim;
    for (int ring = 0; ring < 3; ++ring)
      list->PrimWriteVtx(
          ImVec2(centre.x + radii[ring] * std::cos(angle), centre.y + radii[ring] * std::sin(angle)), white,
          colours[ring]);
  }
  for (unsigned corner = 0; corner < kRim; ++corner)
    for (unsigned ring = 0; ring < 2; ++ring) {
      const unsigned at = first + corner * 3 + ring;
      for (const unsigned vertex : {at, at + 1, at + 4, at, at + 4, at + 3})
        list->PrimWriteIdx(static_cast<ImDrawIdx>(vertex));
    }
}

// The pen's window covers everything, so that nothing below it is clicked.
void take_strokes(Presenter& presenter, std::uint64_t page, ImVec2 screen) {
  ImGui::SetNextWindowPos(ImVec2(0, 0));
  ImGui::SetNextWindowSize(screen);
  ImGui::SetNextWindowFocus();
  ImGui::Begin("###pen_sheet", nullptr, kSheet);
  ImGui::SetCursorScreenPos(ImVec2(0, 0));
  hit_area("###pen", screen);
  const bool drawing = ImGui::IsItemActive();
  const ImVec2 at = ImGui::GetIO().MousePos;
  auto& strokes = presenter.strokes;
  if (ImGui::IsItemActivated()) strokes.push_back({page, {}});
  if (drawing && !strokes.empty()) {
    auto& points = strokes.back().points;
    const bool moved = points.empty() || std::hypot(points.back().x * screen.x - at.x,
                                                    points.back().y * screen.y - at.y) > kPenMoves;
    if (moved) points.push_back(ImVec2(at.x / screen.x, at.y / screen.y));
  }
  ImGui::End();
}

// They stay until they are wiped, each on its page.
void draw_strokes(const Presenter& presenter, std::uint64_t page, ImDrawList* list, ImVec2 screen,
                  float scale) {
  const ImU32 ink = theme().warning;
  for (const Presenter::Stroke& stroke : presenter.strokes) {
    if (stroke.page != page) continue;
    for (const ImVec2& point : stroke.points)
      list->PathLineTo(ImVec2(point.x * screen.x, point.y * screen.y));
    if (stroke.points.size() == 1) list->AddCircleFilled(list->_Path.front(), 2.5f * scale, ink);
    list->PathStroke(ink, 0, stroke.points.size() > 1 ? 3.5f * scale : 0.f);
  }
}

void draw_lens_rim(const FrameState& state, ImDrawList* list) {
  const Lens lens = magnifier(state);
  if (lens.factor <= 1) return;
  const ImVec2 p0(lens.centre.x - lens.half.x, lens.centre.y - lens.half.y),
      p1(lens.centre.x + lens.half.x, lens.centre.y + lens.half.y);
  const float rim = 3 * ui_scale() / kPresenterScale;
  list->AddRect(ImVec2(p0.x - rim, p0.y - rim), ImVec2(p1.x + rim, p1.y + rim), theme().accent, rim, 0,
                2 * rim);
}

}  // namespace

Lens magnifier(const FrameState& state) {
  const ImVec2 at = ImGui::GetIO().MousePos, screen = ImGui::GetIO().DisplaySize;
  const bool seen = state.presenter.magnifier.on && !state.presenter.black && !matrix_lens_shown() &&
                    ImGui::IsMousePosValid(&at);
  if (!seen) return {};
  const float scale = ui_scale() * (state.presenter.on ? 1.6f / kPresenterScale : 1.f);
  Lens lens{at, ImVec2(kLensWidth * scale, kLensHeight * scale), at, kLensFactor};
  lens.centre.x = std::clamp(at.x, lens.half.x, std::max(lens.half.x, screen.x - lens.half.x));
  lens.centre.y = std::clamp(at.y, lens.half.y, std::max(lens.half.y, screen.y - lens.half.y));
  return lens;
}

void draw_presenter(FrameState& state) {
  Presenter& presenter = state.presenter;
  if (!presenter.on) return draw_lens_rim(state, ImGui::GetForegroundDrawList());
  const ImVec2 screen = ImGui::GetIO().DisplaySize, pointer = ImGui::GetIO().MousePos;
  const std::uint64_t page = presented_page(state);
  const bool popup = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
  if (presenter.pen && !presenter.black && !popup) take_strokes(presenter, page, screen);
  if (popup && !presenter.black) return;  // a dialog must stay visible
  ImDrawList* list = ImGui::GetForegroundDrawList();
  draw_strokes(presenter, page, list, screen, ui_scale() / kPresenterScale);
  if (presenter.spotlight.on && ImGui::IsMousePosValid(&pointer))
    draw_spotlight(list, pointer, screen, ui_scale() / kPresenterScale * 1.4f);
  draw_lens_rim(state, list);
  if (presenter.black) list->AddRectFilled(ImVec2(0, 0), screen, IM_COL32_BLACK);
}

}  // namespace attnscope
