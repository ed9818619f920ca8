#include "app/panels/lesson/lesson_drawn.h"

#include <algorithm>
#include <cmath>

#include "app/figure/canvas.h"
#include "app/look/item_map.h"
#include "app/look/key_controls.h"
#include "app/state/controls.h"
#include "core/base/words.h"
#include "core/step/catalog.h"

namespace attnscope {
namespace {

constexpr float kDrawnRow = 20.f, kDrawnHeight = 11.f, kShareWidth = 92.f,
                kMostName = 0.34f;    // units; of the width
constexpr double kByKey = 0.05;       // of a bar, for an arrow key
constexpr float kGrowSeconds = 0.7f;  // of the true bars
constexpr float kOrderRow = 25.f, kArrows = 58.f;

std::string drawn_share_words(double share) {
  return tr("lessons.bars.share", {std::to_string(std::lround(100 * share))});
}

struct BarPlace {
  ImVec2 at;       ///< of the row, screen pixels
  float name = 0;  ///< widths, pixels
  float track = 0;
};

void draw_bar_row(const PageDraft& draft, const SharesRow& row, std::size_t i, const BarPlace& place,
                  bool hovered) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float tall = px(kDrawnHeight), y = place.at.y + (px(kDrawnRow) - tall) / 2,
              x = place.at.x + place.name + px(6);
  const bool chosen = draft.bar == static_cast<int>(i);
  const double mine = draft.bars[i], truth = row.shares[i];
  const float line = place.at.y + (px(kDrawnRow) - ImGui::GetTextLineHeight()) / 2;
  const std::string name = shortened(row.names[i].str(), place.name);
  const float wide = ImGui::CalcTextSize(name.c_str()).x;
  list->AddText(ImVec2(place.at.x + place.name - wide, line), theme().text, name.c_str());
  list->AddRectFilled(ImVec2(x, y), ImVec2(x + place.track, y + tall), theme().panel, px(2));
  list->AddRectFilled(ImVec2(x, y), ImVec2(x + place.track * static_cast<float>(mine), y + tall),
                      draft.verdict ? theme().accent_soft : theme().accent, px(2));
  list->AddRect(ImVec2(x, y), ImVec2(x + place.track, y + tall),
                chosen || hovered ? theme().accent : theme().border, px(2));
  const std::string share = drawn_share_words(mine);
  const float numbers = x + place.track + px(6);
  list->AddText(ImVec2(numbers, line), draft.verdict ? theme().text_dim : theme().text, share.c_str());
  if (!draft.verdict) return;
  const float grown = static_cast<float>(truth) * draft.grown;
  list->AddRect(ImVec2(x, y - px(2)), ImVec2(x + std::max(px(1), place.track * grown), y + tall + px(2)),
                theme().ok, px(2), 0, px(2));
  const std::string told = drawn_share_words(truth);
  list->AddText(ImVec2(numbers + px(46), line), theme().ok, told.c_str());
}

}  // namespace

void draw_waiting(LessonPlayer& player) {
  if (player.draft().complaint) return;
  dim_text(tr("lessons.waiting"));
  note_item("lesson_waiting");
}

void draw_bars(FrameState& state) {
  LessonPlayer& player = state.lessons;
  const SharesRow* row = player.bars();
  if (!row) return draw_waiting(player);
  PageDraft& draft = player.draft();
  if (draft.bars.size() != row->shares.size())
    draft.bars.assign(row->shares.size(), 1.0 / static_cast<double>(row->shares.size()));
  using Key = compat::Key;  // up and down choose a bar, left and right change it
  if (const double by = take_drawn_keys(draft, {Key::up, Key::down, Key::left, Key::right}); by != 0) {
    const auto which = static_cast<std::size_t>(draft.bar);
    set_share(draft.bars, which, std::clamp(draft.bars[which] + by, 0.0, 1.0));
    draft.drawn = true;
  }
  const WithFont face(fonts().reading);
  const float width = ImGui::GetContentRegionAvail().x;
  BarPlace place;
  for (const Text& name : row->names)
    place.name = std::max(place.name, ImGui::CalcTextSize(name.str().c_str()).x);
  place.name = std::min(place.name, width * kMostName);
  place.track = std::max(px(40), width - place.name - px(6) - px(kShareWidth));
  for (std::size_t i = 0; i < row->shares.size(); ++i) {
    place.at = ImGui::GetCursorScreenPos();
    const std::string id = "###lesson_bar_" + std::to_string(i);
    ImGui::SetCursorScreenPos(ImVec2(place.at.x + place.name + px(6), place.at.y));
    hit_area(id.c_str(), ImVec2(place.track, px(kDrawnRow)));
    note_item(id);
    const bool hovered = ImGui::IsItemHovered();
    if (hovered && !ImGui::IsItemActive()) compat::item_tooltip(tr("lessons.bars.keys"));
    if (ImGui::IsItemActive()) {
      draft.bar = static_cast<int>(i);
      const float left = ImGui::GetItemRectMin().x;
      const double share = std::clamp((ImGui::GetIO().MousePos.x - left) / place.track, 0.f, 1.f);
      if (!key_pointer().on) {  // a key chooses the bar, arrows change it
        set_share(draft.bars, i, share);
        draft.drawn = true;
      }
    }
    ImGui::SetCursorScreenPos(ImVec2(place.at.x, place.at.y + px(kDrawnRow)));
    draw_bar_row(draft, *row, i, place, hovered);
  }
  wrapped_text(tr(draft.verdict ? "lessons.bars.truth" : "lessons.bars.help"), theme().text_dim);
  grow_truth(state);
}

double take_drawn_keys(PageDraft& draft, const DrawnKeys& keys) {
  const int last = static_cast<int>(draft.bars.size()) - 1;
  if (draft.bar < 0 || ImGui::GetIO().WantTextInput || open_popups() > 0) return 0;
  if (compat::key_pressed(compat::Key::escape, false)) draft.bar = -1;
  if (compat::key_pressed(keys.back, true)) draft.bar = std::max(0, draft.bar - 1);
  if (compat::key_pressed(keys.on, true)) draft.bar = std::min(last, draft.bar + 1);
  if (draft.bar < 0) return 0;
  return (compat::key_pressed(keys.more, true) ? kByKey : 0) -
         (compat::key_pressed(keys.less, true) ? kByKey : 0);
}

void grow_truth(FrameState& state) {
  PageDraft& draft = state.lessons.draft();
  if (!draft.verdict || draft.grown >= 1) return;
  draft.grown =
      state.workspace.animate ? std::min(1.f, draft.grown + ImGui::GetIO().DeltaTime / kGrowSeconds) : 1;
  state.workspace.moving = true;
}

// ---- an order -------------------------------------------------------------------------------------

void draw_order(FrameState& state) {
  const auto& ask = std::get<OrderAsk>(state.lessons.page().ask);
  std::vector<Site>& order = state.lessons.draft().order;
  const float width = ImGui::GetContentRegionAvail().x, tall = px(kOrderRow);
  const float top = ImGui::GetCursorScreenPos().y;
  ImDrawList* list = ImGui::GetWindowDrawList();
  std::size_t from = order.size(), to = order.size();
  const WithVar spacing(ImGuiStyleVar_ItemSpacing, ImVec2(px(4), 0));
  for (std::size_t i = 0; i < order.size(); ++i) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const std::string number = std::to_string(i);
    // Of the step and not of its place: what is dragged stays the item that is held wherever it lies.
    hit_area(("###lesson_order " + to_text(order[i])).c_str(), ImVec2(width - px(kArrows), tall - px(3)));
    note_item("lesson_order_" + number);
    const bool held = ImGui::IsItemActive();
    if (held) {
      const float row = (ImGui::GetIO().MousePos.y - top) / tall;
      const auto over = static_cast<std::size_t>(std::clamp(row, 0.f, static_cast<float>(order.size() - 1)));
      if (over != i) from = i, to = over;
    }
    list->AddRectFilled(at, ImVec2(at.x + width - px(kArrows), at.y + tall - px(3)), theme().panel, px(3));
    list->AddRect(at, ImVec2(at.x + width - px(kArrows), at.y + tall - px(3)),
                  held ? theme().accent : theme().border, px(3));
    const std::string title =
        shortened(std::to_string(i + 1) + "  " + ask.name_of(order[i]).str(), width - px(kArrows + 16));
    list->AddText(ImVec2(at.x + px(8), at.y + (tall - px(3) - ImGui::GetTextLineHeight()) / 2), theme().text,
                  title.c_str());
    const WithVar slim(ImGuiStyleVar_FramePadding, ImVec2(px(6), px(1)));
    ImGui::SetCursorScreenPos(ImVec2(at.x + width - px(kArrows - 6), at.y));
    {
      const DisabledScope first(i == 0);
      if (raised_button("\u25b2###lesson_order_up_" + number)) from = i, to = i - 1;
    }
    ImGui::SameLine();
    {
      const DisabledScope last(i + 1 == order.size());
      if (raised_button("\u25bc###lesson_order_down_" + number)) from = i, to = i + 1;
    }
    ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + tall));
  }
  wrapped_text(tr("lessons.order.help"), theme().text_dim);
  if (from >= order.size() || to >= order.size()) return;
  const Site moved = order[from];
  order.erase(order.begin() + static_cast<std::ptrdiff_t>(from));
  order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), moved);
}

}  // namespace attnscope
