#include "app/shell/easy_film.h"

#include <algorithm>

#include "app/figure/figure_box.h"
#include "app/look/item_map.h"
#include "app/state/controls.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"
#include "core/session/document.h"

namespace attnscope {
namespace {

constexpr float kFilmStrip = 60.f, kPlay = 18.f, kEdgeBar = 5.f;  // units; kPlay: a radius
constexpr float kStationTitle = 250.f, kLeastStation = 84.f;

ImU32 ink_colour(figure::Ink ink) {
  return figure_colour(figure::palette(theme().kind == ThemeKind::dark).ink(ink));
}

}  // namespace

void EasyFilm::follow(FrameState& state, const ViewState& view, const ViewSpec* shown, std::uint64_t key) {
  static const ViewSpec* const forward = *find_view("steps");
  const ViewSpec* film = shown && shown->stations ? shown : forward;
  instead_ = shown == film ? state.workspace.view : film->id;
  key = key_of({key, key_of(film->id)});
  if (key_ != key) {
    key_ = key, of_ = film->id;
    stations_ = film->stations(view);
    token_ = told_apart(view, view.place.stack, view.row).str();
  }
  if (!state.workspace.holds_back) last_ = -1;
  nameless_ = state.lessons.hides_stations();
  if (stations_.empty()) return;
  // The full window goes on at the step of the station.
  opens_ = of_ == "steps" && !state.lessons.open() && !state.lecture.walking();
  if (const std::ptrdiff_t at = now(state); opens_ && at >= 0 && state.workspace.view == of_)
    if (const Site& site = stations_[static_cast<std::size_t>(at)].site; view.run->find(site))
      state.workspace.cursor.step = site;
  state.film = [this](FrameState& frame, int by) { return go(frame, by); };
}

void EasyFilm::hold(FrameState& state, const std::string& view, const std::string& station) {
  const auto found =
      std::find_if(stations_.begin(), stations_.end(), [&](const Station& one) { return one.id == station; });
  last_ = found == stations_.end() ? 0 : found - stations_.begin();
  Workspace& workspace = state.workspace;
  workspace.playing = workspace.show_difference = false;
  workspace.view = view;
  if (!stations_.empty() && now(state) > last_)
    workspace.station = stations_[static_cast<std::size_t>(last_)].id;
}

std::ptrdiff_t EasyFilm::now(const FrameState& state) const {
  if (state.workspace.view != of_ && state.workspace.view != instead_) return -1;
  for (std::size_t at = 0; at < stations_.size(); ++at)
    if (stations_[at].id == state.workspace.station) return static_cast<std::ptrdiff_t>(at);
  return stations_.empty() || before_ ? -1 : 0;
}

const std::string& EasyFilm::page(const FrameState& state) const {
  static const std::string none;
  const std::ptrdiff_t at = now(state);
  return at < 0 ? none : stations_[static_cast<std::size_t>(at)].id;
}

bool EasyFilm::outside_blocks(const FrameState& state) const {
  const std::ptrdiff_t at = now(state);
  if (at < 0) return false;
  const Site& site = stations_[static_cast<std::size_t>(at)].site;
  return site.layer < 0 || site.is(StepRole::stream);
}

bool EasyFilm::go(FrameState& state, int by) const {
  const std::ptrdiff_t at = now(state), to = at < 0 ? 0 : at + by;
  if (to < 0 || to >= std::ssize(stations_) || holds(static_cast<std::size_t>(to))) return false;
  state.workspace.view = of_;
  state.workspace.station = stations_[static_cast<std::size_t>(to)].id;
  return true;
}

float EasyFilm::height() const { return stations_.empty() ? 0.f : px(kFilmStrip); }

void EasyFilm::draw_play(FrameState& state, ImVec2 at) const {
  const DisabledScope held(last_ >= 0);
  const float side = 2 * px(kPlay);
  bool& playing = state.workspace.playing;
  ImGui::SetCursorScreenPos(at);
  if (hit_area("###film_play", ImVec2(side, side))) {
    playing = !playing;
    const bool at_end = now(state) + 1 == std::ssize(stations_);
    if (playing && (now(state) < 0 || at_end))
      state.workspace.view = of_, state.workspace.station = stations_.front().id;
  }
  note_item("film_play");
  compat::item_tooltip(tr(playing ? "easy.film.pause" : "easy.film.play"));
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 middle(at.x + side / 2, at.y + side / 2);
  list->AddCircleFilled(middle, side / 2, theme().accent);
  const float r = side * 0.2f;
  if (playing) {
    for (const float x : {-r, r * 0.35f})
      list->AddRectFilled(ImVec2(middle.x + x, middle.y - r), ImVec2(middle.x + x + r * 0.65f, middle.y + r),
                          theme().ground);
  } else {
    list->AddTriangleFilled(ImVec2(middle.x - r * 0.7f, middle.y - r),
                            ImVec2(middle.x - r * 0.7f, middle.y + r), ImVec2(middle.x + r * 1.1f, middle.y),
                            theme().ground);
  }
}

void EasyFilm::draw(FrameState& state, ImVec2 at, float width) {
  if (stations_.empty()) return;
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddLine(ImVec2(0, at.y), ImVec2(state.stage_max.x, at.y), theme().border, metric::kHairline);
  const float middle = at.y + px(kFilmStrip) / 2, count = static_cast<float>(stations_.size()), gap = px(8);
  draw_play(state, ImVec2(at.x, middle - px(kPlay)));
  float left = at.x + 2 * px(kPlay) + px(14);
  if (width - (left - at.x) - px(kStationTitle) >= count * (px(kLeastStation) + gap)) {
    const WithFont face(fonts().reading_bold);
    const std::string& title = title_.get({key_}, [&] {
      const std::string whole = tr("figure." + of_ + ".film", {token_});
      note_text(whole);
      return shortened(whole, px(kStationTitle - 14));
    });
    ImGui::SetCursorScreenPos(ImVec2(left, middle - ImGui::GetTextLineHeight() / 2));
    ImGui::TextUnformatted(title.c_str());
    left += px(kStationTitle);
  }
  const float each = (at.x + width - left + gap) / count - gap, tall = px(38), room = each - px(kEdgeBar + 6);
  // Of many stations the letters are smaller before a word is shortened.
  const bool large = large_.get({key_, static_cast<std::uint64_t>(each)}, [&] {
    const WithFont face(fonts().reading_bold);
    return std::none_of(stations_.begin(), stations_.end(), [&](const Station& one) {
      const std::string name = one.name.str();  // one with a blank has two lines
      return name.find(' ') == std::string::npos && ImGui::CalcTextSize(name.c_str()).x > room;
    });
  });
  const std::ptrdiff_t lit = now(state);
  for (std::size_t i = 0; i < stations_.size(); ++i) {
    const Station& station = stations_[i];
    const ImVec2 p0(left + (each + gap) * static_cast<float>(i), middle - tall / 2),
        p1(p0.x + each, p0.y + tall);
    const Label name("station_", station.id);
    const DisabledScope held(holds(i));
    ImGui::SetCursorScreenPos(p0);
    const bool on = static_cast<std::ptrdiff_t>(i) == lit;
    if (hit_area(Label("###", name).c_str(), ImVec2(each, tall))) {
      if (on && opens_) state.workspace.level = Level::full;
      state.workspace.view = of_, state.workspace.station = station.id;
      state.workspace.playing = false;
    }
    note_item(name);
    if (on && opens_) compat::item_tooltip(tr("easy.film.matrix"));
    list->AddRectFilled(p0, p1,
                        on                       ? theme().accent_soft
                        : ImGui::IsItemHovered() ? theme().hovered
                                                 : theme().panel_raised,
                        px(6));
    list->AddRectFilled(p0, ImVec2(p0.x + px(kEdgeBar), p1.y), ink_colour(station.ink), px(6),
                        ImDrawFlags_RoundCornersLeft);
    if (on) list->AddRect(p0, p1, theme().accent, px(6), 0, px(1.5f));
    const WithFont face(!large ? fonts().small : on ? fonts().reading_bold : fonts().reading);
    const std::string& text =
        names_.get(text_key({key_, i, on, nameless_, static_cast<std::uint64_t>(each)}), [&] {
          const std::string whole = nameless_ ? "?" : station.name.str();
          const std::size_t blank = whole.rfind(' ');
          if (ImGui::CalcTextSize(whole.c_str()).x <= room || blank == std::string::npos)
            return shortened(whole, room);
          return shortened(whole.substr(0, blank), room) + "\n" + shortened(whole.substr(blank + 1), room);
        });
    const ImVec2 size = ImGui::CalcTextSize(text.c_str());
    list->AddText(ImVec2((p0.x + px(kEdgeBar) + p1.x - size.x) / 2, middle - size.y / 2),
                  holds(i) ? theme().text_dim : theme().text, text.c_str());
  }
}

}  // namespace attnscope
