#include "app/shell/palette.h"

#include <algorithm>

#include "app/look/item_map.h"
#include "app/state/controls.h"
#include "app/state/frame_state.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

using compat::Key;

constexpr float kPaletteWidth = 620.f, kTop = 72.f, kPaletteRow = 26.f;
constexpr int kListRows = 12, kPageRows = 8;
constexpr ImGuiWindowFlags kPaletteFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                           ImGuiWindowFlags_NoSavedSettings |
                                           ImGuiWindowFlags_NoScrollWithMouse;

// Its code points, with Latin letters in lower case.
std::u32string letters_of(std::string_view text) {
  std::u32string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto letter = static_cast<char32_t>(next_code_point(text, at));
    out += letter >= U'A' && letter <= U'Z' ? letter + (U'a' - U'A') : letter;
  }
  return out;
}
bool is_break(char32_t c) { return std::u32string_view(U" ._-/:").find(c) != std::u32string_view::npos; }

std::string palette_place_of(const Action& action) {
  if (action.scope == KeyScope::presenter) return tr("palette.presenter");
  return action.menu == Menu::none ? std::string() : tr(Label("toolbar.", menu_name(action.menu)));
}

}  // namespace

namespace {

// Score of one word as a subsequence of `text`: adjacent letters and beginnings of words score higher; -1
// when it is not a subsequence.
int word_score(std::u32string_view word, std::u32string_view text) {
  constexpr int kNone = -1000000, kFar = 3;
  std::vector<int> best(text.size(), kNone), next(text.size());
  for (std::size_t i = 0; i < word.size(); ++i) {
    int far = kNone;  // best score of the previous letter, more than kFar back
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (at > kFar) far = std::max(far, best[at - kFar - 1]);
      int before = i == 0 ? 0 : far - kFar;
      for (int gap = 0; i > 0 && gap < kFar && at > static_cast<std::size_t>(gap); ++gap)
        before = std::max(before, best[at - 1 - static_cast<std::size_t>(gap)] + (gap == 0 ? 8 : -gap));
      const bool begins = at == 0 || is_break(text[at - 1]);
      next[at] = text[at] == word[i] && before > kNone / 2 ? before + 2 + (begins ? 6 : 0) : kNone;
    }
    best.swap(next);
  }
  const auto most = std::max_element(best.begin(), best.end());
  return most == best.end() || *most < kNone / 2 ? -1 : std::max(0, *most);
}

}  // namespace

int fuzzy_score(std::string_view wanted, std::string_view where) {
  const std::u32string letters = letters_of(wanted), text = letters_of(where);
  int score = 0;
  std::size_t used = 0;
  for (std::size_t begin = 0; begin < letters.size();) {  // words match independently of their order
    const std::size_t end = std::min(letters.find(U' ', begin), letters.size());
    if (end > begin) {
      const int word = word_score(std::u32string_view(letters).substr(begin, end - begin), text);
      if (word < 0) return -1;
      score += word, used += end - begin;
    }
    begin = end + 1;
  }
  const auto left = static_cast<int>(std::min(text.size() - std::min(text.size(), used), std::size_t{40}));
  return std::max(0, score * 8 - left);  // of equal matches the shorter text wins
}

std::vector<Palette::Line> Palette::all_lines(FrameState& state) {
  std::vector<Line> out;
  const auto site = [&](const Action& action, const Choice& choice) {
    return tr("palette.go", {choice.argument, choice.title, action_name(action)});
  };
  for (const Action& action : actions()) {
    const std::string why = why_not(action, state);
    if (action.takes == Takes::nothing) {
      out.push_back({&action,
                     {},
                     action_text(action, state),
                     action.id,
                     palette_place_of(action),
                     action_key(action),
                     why});
      continue;
    }
    for (const Choice& choice : choices(state, action.takes)) {
      const std::string title = action.takes == Takes::site
                                    ? site(action, choice)
                                    : tr("palette.choice", {action_name(action), choice.title});
      out.push_back({&action,
                     choice.argument,
                     title,
                     action.id + " " + choice.argument,
                     palette_place_of(action),
                     {},
                     why});
    }
  }
  return out;
}

std::vector<std::size_t> Palette::found(const std::vector<Line>& lines, const std::string& letters) {
  std::vector<std::pair<int, std::size_t>> scores;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const int score = std::max(fuzzy_score(letters, lines[i].title), fuzzy_score(letters, lines[i].name));
    if (score >= 0) scores.emplace_back(lines[i].why_not.empty() ? -score : -score * 3 / 4, i);
  }
  if (!letters.empty())
    std::stable_sort(scores.begin(), scores.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::size_t> out;
  for (const auto& [score, index] : scores) out.push_back(index);
  return out;
}

void Palette::begin(FrameState& state) {
  lines_ = all_lines(state);
  for (const Line& line : lines_) note_text(line.title), note_text(line.why_not);
  letters_.clear();
  search();
  ImGui::OpenPopup("###palette");
}

void Palette::search() {
  searched_ = letters_;
  found_ = found(lines_, letters_);
  chosen_ = 0;
  moved_ = true;
}

void Palette::move(int by) {
  const int count = static_cast<int>(found_.size());
  if (count == 0 || by == 0) return;
  chosen_ = std::abs(by) == 1 ? (chosen_ + by + count) % count : std::clamp(chosen_ + by, 0, count - 1);
  moved_ = true;
}

void Palette::draw_line(const Line& line, bool chosen, float width) const {
  const ImVec2 at = ImGui::GetItemRectMin(), end = ImGui::GetItemRectMax();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const bool hovered = ImGui::IsItemHovered();
  if (chosen || hovered) list->AddRectFilled(at, end, chosen ? theme().accent_soft : theme().hovered, px(5));
  const float y = at.y + (end.y - at.y - ImGui::GetTextLineHeight()) / 2;
  const bool possible = line.why_not.empty();
  const float key = line.key.empty() ? 0 : ImGui::CalcTextSize(line.key.c_str()).x + px(14);
  const std::string beside =
      possible ? line.place : shortened(line.why_not, width * 0.55f - std::max(key, px(92)));
  const float room = beside.empty() ? 0 : ImGui::CalcTextSize(beside.c_str()).x + px(14);
  const ImU32 dim = possible ? theme().text_dim : with_alpha(theme().text_dim, 0.55f);
  list->AddText(ImVec2(at.x + px(8), y), possible ? theme().text : dim,
                shortened(line.title, width - std::max(key, px(92)) - room - px(24)).c_str());
  if (key > 0)
    list->AddText(ImVec2(at.x + width - key, y), possible ? theme().accent : dim, line.key.c_str());
  if (room > 0)
    list->AddText(ImVec2(at.x + width - std::max(key, px(92)) - room, y), theme().text_dim, beside.c_str());
}

// True when a line was clicked.
bool Palette::draw_lines() {
  const WithVar spacing(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  const float width = ImGui::GetContentRegionAvail().x;
  bool clicked = false;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(found_.size()), px(kPaletteRow));
  while (clipper.Step())
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const Line& line = lines_[found_[static_cast<std::size_t>(i)]];
      const WithId scope(i);
      if (hit_area("###line", ImVec2(width, px(kPaletteRow)))) chosen_ = i, clicked = true;
      note_item("palette." + line.action->id + (line.argument.empty() ? "" : "." + line.argument));
      draw_line(line, i == chosen_, width);
    }
  return clicked;
}

bool Palette::draw_list() {
  const float height = px(kPaletteRow) * static_cast<float>(kListRows);
  compat::begin_child("palette_list", ImVec2(px(kPaletteWidth), height), false);
  const bool clicked = draw_lines();
  if (moved_) {
    const float top = px(kPaletteRow) * static_cast<float>(chosen_), scroll = ImGui::GetScrollY();
    if (top < scroll) ImGui::SetScrollY(top);
    if (top + px(kPaletteRow) > scroll + height) ImGui::SetScrollY(top + px(kPaletteRow) - height);
    moved_ = false;
  }
  if (found_.empty()) dim_text(tr("palette.nothing"));
  ImGui::EndChild();
  return clicked;
}

void Palette::draw(FrameState& state) {
  if (std::exchange(state.show_palette, false)) begin(state);
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos(ImVec2(screen.x / 2, std::min(px(kTop), screen.y * 0.1f)), ImGuiCond_Always,
                          ImVec2(0.5f, 0.f));
  const WithVar padding(ImGuiStyleVar_WindowPadding, ImVec2(px(12), px(12)));
  if (!ImGui::BeginPopupModal("###palette", nullptr, kPaletteFlags | ImGuiWindowFlags_AlwaysAutoResize))
    return;
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(px(kPaletteWidth));
  ImGui::InputTextWithHint("###palette_text", tr("palette.hint"), &letters_);
  note_item("palette_text");
  if (letters_ != searched_) {
    note_text(letters_);
    search();
  }
  move((compat::key_pressed(Key::down) ? 1 : 0) - (compat::key_pressed(Key::up) ? 1 : 0));
  move(kPageRows *
       ((compat::key_pressed(Key::page_down) ? 1 : 0) - (compat::key_pressed(Key::page_up) ? 1 : 0)));
  const bool clicked = draw_list();
  const bool again =
      !ImGui::IsWindowAppearing() && ImGui::GetIO().KeyCtrl && compat::key_pressed(Key::p, false);
  const bool leave = again || compat::key_pressed(Key::escape, false);
  const bool wanted = clicked || compat::key_pressed(Key::enter, false);
  if (wanted && chosen_ < static_cast<int>(found_.size())) {
    const Line line = lines_[found_[static_cast<std::size_t>(chosen_)]];
    if (line.why_not.empty()) {
      ImGui::CloseCurrentPopup();
      state.popup_by_key = !clicked;
      perform(state, line.action->id, line.argument);
    }
  }
  if (leave) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

}  // namespace attnscope
