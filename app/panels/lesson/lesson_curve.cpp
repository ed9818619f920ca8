// A curve that is drawn before it is seen: a point over each name, dragged up and down.
#include <algorithm>

#include "app/look/item_map.h"
#include "app/look/key_controls.h"
#include "app/panels/lesson/lesson_drawn.h"
#include "app/state/controls.h"
#include "core/base/words.h"
#include "core/lab/pieces.h"

namespace attnscope {
namespace {

constexpr float kPlotHeight = 130.f, kScaleWidth = 40.f, kDot = 4.f;  // units

/// Where the curve stands on the screen, pixels.
struct CurvePlace {
  ImVec2 from, to;
  std::size_t count = 0;

  ImVec2 at(std::size_t point, double height) const {
    const float step = (to.x - from.x) / static_cast<float>(count);
    return {from.x + step * (static_cast<float>(point) + 0.5f),
            to.y - (to.y - from.y) * static_cast<float>(height)};
  }
  std::size_t point_at(float x) const {
    const float share = std::clamp((x - from.x) / (to.x - from.x), 0.f, 0.999f);
    return static_cast<std::size_t>(share * static_cast<float>(count));
  }
};

void draw_line(const CurvePlace& place, const std::vector<double>& heights, double grown, ImU32 colour) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (std::size_t i = 0; i < heights.size(); ++i) {
    const ImVec2 at = place.at(i, heights[i] * grown);
    if (i > 0) list->AddLine(place.at(i - 1, heights[i - 1] * grown), at, colour, px(2));
    list->AddCircleFilled(at, px(kDot), colour);
  }
}

// Names below, the scale at the left, and the height of the point that is held.
void draw_scale(const CurvePlace& place, const SharesRow& row, const PageDraft& draft, double top) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float line = ImGui::GetTextLineHeight();
  for (std::size_t i = 0; i < row.names.size(); ++i) {
    const std::string name = row.names[i].str();
    const float wide = ImGui::CalcTextSize(name.c_str()).x;
    list->AddText(ImVec2(place.at(i, 0).x - wide / 2, place.to.y + px(2)), theme().text_dim, name.c_str());
  }
  for (const double share : {0.0, 0.5, 1.0}) {
    const std::string number = shown(top * share);
    const float y = place.at(0, share).y, wide = ImGui::CalcTextSize(number.c_str()).x;
    list->AddText(ImVec2(place.from.x - px(5) - wide, std::max(place.from.y, y - line / 2)), theme().text_dim,
                  number.c_str());
    list->AddLine(ImVec2(place.from.x, y), ImVec2(place.to.x, y), theme().border);
  }
  if (draft.bar < 0) return;
  const auto held = static_cast<std::size_t>(draft.bar);
  const std::string number = shown(top * draft.bars[held], 3);
  const ImVec2 at = place.at(held, draft.bars[held]);
  list->AddText(ImVec2(at.x + px(7), std::max(place.from.y, at.y - line)), theme().text, number.c_str());
}

}  // namespace

void draw_curve(FrameState& state, const BarsAsk& ask) {
  LessonPlayer& player = state.lessons;
  const SharesRow* row = player.bars();
  if (!row) return draw_waiting(player);
  PageDraft& draft = player.draft();
  if (draft.bars.size() != row->shares.size()) draft.bars.assign(row->shares.size(), 0.5);
  using Key = compat::Key;  // left and right choose a point, up and down move it
  if (const double by = take_drawn_keys(draft, {Key::left, Key::right, Key::down, Key::up}); by != 0) {
    double& height = draft.bars[static_cast<std::size_t>(draft.bar)];
    height = std::clamp(height + by, 0.0, 1.0);
    draft.drawn = true;
  }
  const WithFont face(fonts().reading);
  const float width = ImGui::GetContentRegionAvail().x, names = ImGui::GetTextLineHeight() + px(6);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const CurvePlace place{{corner.x + px(kScaleWidth), corner.y + px(4)},
                         {corner.x + width - px(6), corner.y + px(kPlotHeight)},
                         row->shares.size()};
  hit_area("###lesson_curve", ImVec2(width, px(kPlotHeight)));
  note_item("lesson_curve");
  if (ImGui::IsItemHovered() && !ImGui::IsItemActive()) compat::item_tooltip(tr("lessons.curve.keys"));
  if (ImGui::IsItemActive()) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (key_pointer().on) {
      draft.bar = std::max(draft.bar, 0);  // arrows move it
    } else {
      const std::size_t point = place.point_at(mouse.x);
      draft.bar = static_cast<int>(point);
      draft.drawn = true;
      draft.bars[point] = std::clamp((place.to.y - mouse.y) / (place.to.y - place.from.y), 0.f, 1.f);
    }
  }
  ImGui::Dummy(ImVec2(width, names));
  ImGui::GetWindowDrawList()->AddRectFilled(place.from, place.to, theme().panel, px(2));
  draw_scale(place, *row, draft, ask.top);
  draw_line(place, draft.bars, 1, draft.verdict ? theme().accent_soft : theme().accent);
  if (draft.verdict) draw_line(place, row->shares, draft.grown, theme().ok);
  wrapped_text(tr(draft.verdict ? "lessons.curve.truth" : "lessons.curve.help"), theme().text_dim);
  grow_truth(state);
}

}  // namespace attnscope
