#include "app/shell/tour.h"

#include <algorithm>

#include "app/look/item_map.h"
#include "app/look/text_lines.h"
#include "app/state/controls.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

using compat::Key;

constexpr float kCard = 330.f, kTourGap = 14.f;
constexpr ImGuiWindowFlags kTourFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                        ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize;

constexpr TourStop kStops[] = {{"chooser", "tour.model"},   {"chip0", "tour.input"},
                               {"tab_steps", "tour.views"}, {"play", "tour.walk"},
                               {"matrix.*", "tour.number"}, {"difference", "tour.change"},
                               {"new_edit", "tour.edits"},  {"toolbar.help", "tour.help"}};

const ItemRect* found(const char* item) {
  const std::string name = item;
  for (const auto& [noted, rect] : noted_items())
    if (noted == name || (name.back() == '*' && noted.starts_with(name.substr(0, name.size() - 1))))
      return &rect;
  return nullptr;
}

// Position of the card: below the item, above it if there is no room, inside the screen.
ImVec2 tour_place_of(const ItemRect& rect, ImVec2 card) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float gap = px(kTourGap);
  const float below = rect.p1.y + gap, above = rect.p0.y - gap - card.y;
  const float y = below + card.y < screen.y ? below : above;
  return ImVec2(std::clamp((rect.p0.x + rect.p1.x - card.x) / 2, gap, std::max(gap, screen.x - card.x - gap)),
                std::clamp(y, gap, std::max(gap, screen.y - card.y - gap)));
}

}  // namespace

std::span<const TourStop> tour_stops() { return kStops; }

void Tour::draw_card(bool fresh) {
  const auto count = static_cast<int>(std::size(kStops));
  dim_text(tr("tour.place", {std::to_string(stop_ + 1), std::to_string(count)}));
  const std::string text = tr(kStops[stop_].text);
  note_text(text);
  text_in_lines(text, px(kCard) - ImGui::GetCursorPosX());
  ImGui::Dummy(ImVec2(px(kCard), px(2)));
  const bool last = stop_ + 1 == count;
  const bool next = primary_button(Label(tr(last ? "tour.end" : "tour.next"), "###tour_next")) ||
                    (!fresh && (compat::key_pressed(Key::right) || compat::key_pressed(Key::enter, false)));
  ImGui::SameLine();
  const bool back =
      (stop_ > 0 && raised_button(Label(tr("tour.back"), "###tour_back"))) || compat::key_pressed(Key::left);
  if (stop_ > 0) ImGui::SameLine();
  const bool skip = (!last && raised_button(Label(tr("tour.skip"), "###tour_skip"))) ||
                    compat::key_pressed(Key::escape, false);
  if (skip || (next && last))
    stop_ = -1;
  else
    stop_ = std::max(0, stop_ + (next ? 1 : 0) - (back ? 1 : 0));
}

void Tour::draw(FrameState& state) {
  const bool fresh = std::exchange(state.ask_tour, false);  // the key that started the tour is not handled
  if (fresh) stop_ = 0;
  if (stop_ < 0) return;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const ItemRect* item = found(kStops[stop_].item);
  ImDrawList* list = ImGui::GetForegroundDrawList();
  const ImVec2 card(px(kCard + 26), px(124));
  const ItemRect middle{ImVec2(screen.x / 2, screen.y / 2), ImVec2(screen.x / 2, screen.y / 2), 0, 0};
  ImGui::SetNextWindowPos(tour_place_of(item ? *item : middle, card));
  {
    const WithColour ground(ImGuiCol_WindowBg, theme().panel);
    const WithColour border(ImGuiCol_Border, theme().accent);
    ImGui::Begin("###tour", nullptr, kTourFlags);
  }
  if (item) {
    const float around = px(4);
    list->AddRect(ImVec2(item->p0.x - around, item->p0.y - around),
                  ImVec2(item->p1.x + around, item->p1.y + around), theme().accent, px(7), 0, px(2.5f));
  }
  draw_card(fresh);
  ImGui::End();
  state.touring = running();
}

}  // namespace attnscope
