#include "app/panels/lesson/lesson_panel.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/look/item_map.h"
#include "app/panels/lesson/lesson_ask.h"
#include "app/panels/lesson/lesson_recap.h"
#include "app/state/actions.h"
#include "app/state/controls.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"
#include "core/lesson/lesson_file.h"
#include "core/session/mask_edits.h"

namespace attnscope {
namespace {

constexpr float kRoomForNames = 560;  // units: what words and buttons need before pages get their names
constexpr float kLeastSaid = 58;      // units: two lines of a verdict
constexpr float kMostSaid = 0.62f;    // share of the words' room that a verdict may take
constexpr float kLeastWords = 120;    // minimum height of the text, units: below it the whole panel scrolls

// ---- head: lesson, page, bar ----------------------------------------------------------------------

void draw_bar(float share) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, height = px(4);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, ImVec2(at.x + width, at.y + height), theme().border, height / 2);
  list->AddRectFilled(at, ImVec2(at.x + width * share, at.y + height), theme().accent, height / 2);
  ImGui::Dummy(ImVec2(width, height));
}

// Which page it is; on the first one how long the lesson takes, where that has room.
std::string head_line(const LessonPlayer& player, float room) {
  const auto fits = [&](const std::string& line) { return ImGui::CalcTextSize(line.c_str()).x <= room; };
  const int minutes = player.page_index() == 0 ? player.lesson().minutes : 0;
  const std::string time = minutes > 0
                               ? " \u00b7 " + std::string(tr("lessons.minutes", {std::to_string(minutes)}))
                               : std::string();
  for (const bool whole : {true, false})
    if (const std::string line = player.where(whole) + time; fits(line)) return line;
  const std::string line = player.where(true);
  return shortened(fits(line) ? line : player.where(false), room);
}

void draw_head(FrameState& state) {
  LessonPlayer& player = state.lessons;
  const auto pages = static_cast<float>(player.lesson().pages.size());
  const float room = ImGui::GetContentRegionAvail().x - px(24);
  const ImVec2 line = ImGui::GetCursorPos();
  dim_text(head_line(player, room));
  note_item("lesson_head");
  ImGui::SetCursorPos(ImVec2(line.x + room + px(4), line.y - px(2)));
  if (close_button("###lesson_close")) player.close(state);
  compat::item_tooltip(tr(state.session.before().empty() ? "lessons.close" : "lessons.close.back"));
  ImGui::SetCursorPos(ImVec2(line.x, line.y + ImGui::GetTextLineHeight() + px(8)));
  draw_bar(static_cast<float>(player.page_index() + 1) / pages);
}

// The card with the question; its height is that of its content in the last frame.
void draw_ask(FrameState& state) {
  LessonPlayer& player = state.lessons;
  if (player.page().ask.index() == 0) return;
  const ImVec2 p0 = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, pad = px(13);
  const ImVec2 p1(p0.x + width, p0.y + player.card_height + 2 * pad);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(p0, p1, theme().panel_raised, px(metric::kRounding));
  list->AddRect(p0, p1, theme().border, px(metric::kRounding));
  ImGui::SetCursorScreenPos(ImVec2(p0.x + pad, p0.y + pad));
  compat::begin_child("###lesson_card", ImVec2(width - 2 * pad, std::max(1.f, player.card_height)), false,
                      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  draw_question(state);
  player.card_height = ImGui::GetCursorPosY();
  ImGui::EndChild();
  ImGui::SetCursorScreenPos(ImVec2(p0.x, p1.y));
  gap(1);
}

// ---- buttons: hint, check, back, next -------------------------------------------------------------

void draw_way(FrameState& state) {
  LessonPlayer& player = state.lessons;
  const int page = player.page_index();
  const float line = ImGui::GetCursorPosY(),
              right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  if (!player.at_end()) {
    const float left = ImGui::GetCursorPosX();
    draw_hint_button(state);
    ImGui::SetCursorPos(ImVec2(left + hint_width() + px(6), line));  // wherever the label ends
    draw_check_button(state);
  }
  const std::string previous = "\u25c0 " + std::string(tr("lessons.previous")),
                    next = std::string(tr("lessons.next")) + " \u25b6";
  const float width = button_width(previous) + px(6) + button_width(next);
  ImGui::SetCursorPos(ImVec2(right - width, line));
  {
    const DisabledScope first(page == 0 && !player.at_end());
    if (raised_button(previous + "###lesson_previous")) player.back(state);
  }
  ImGui::SameLine(0, px(6));
  const Lesson* following = player.at_end() ? player.following() : nullptr;
  const DisabledScope last(player.at_end() && !following);
  const bool right_now = player.at_end() || (player.draft().verdict && player.draft().verdict->right);
  const std::string on = next + "###lesson_next";
  if (!(right_now ? primary_button(on) : raised_button(on))) return;
  following ? (void)perform(state, "learn.open", following->id) : player.next(state);
}

/// Symbol before the name of a page: answered, shown, current, still to do.
void draw_sign(ImVec2 centre, const PageProgress* done, bool here) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float r = px(4.5f);
  if (done && done->right) {
    const ImVec2 tick[] = {ImVec2(centre.x - r, centre.y), ImVec2(centre.x - r * 0.25f, centre.y + r * 0.75f),
                           ImVec2(centre.x + r, centre.y - r * 0.8f)};
    list->AddPolyline(tick, 3, theme().ok, 0, px(1.8f));
  } else if (here) {
    list->AddCircleFilled(centre, r, theme().accent);
  } else {
    list->AddCircle(centre, r, done && done->touched() ? theme().warning : theme().text_dim, 0, px(1.3f));
  }
}

// Height of the list of page names, pixels; several per line where they fit.
float pages_height(const Lesson& lesson, float width) {
  const float line = ImGui::GetTextLineHeight() + px(4) + ImGui::GetStyle().ItemSpacing.y;
  float x = 0, height = 0;
  for (std::size_t i = 0; i < lesson.pages.size(); ++i) {
    const std::string name = std::to_string(i + 1) + " " + page_words(lesson, lesson.pages[i], "title");
    const float wide = std::min(ImGui::CalcTextSize(name.c_str()).x, width - px(30)) + px(18);
    const bool below = i == 0 || x + px(12) + wide >= width;
    height += below ? line : 0.f;
    x = below ? wide : x + px(12) + wide;
  }
  return height;
}

void draw_pages(FrameState& state, bool room) {
  LessonPlayer& player = state.lessons;
  const Lesson& lesson = player.lesson();
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  const float gap_between = px(room ? 12 : 6);
  for (std::size_t i = 0; i < lesson.pages.size(); ++i) {
    const Page& page = lesson.pages[i];
    const bool here = static_cast<int>(i) == player.page_index();
    const std::string number = std::to_string(i + 1), title = page_words(lesson, page, "title");
    const std::string name = room ? shortened(number + " " + title, right - px(30)) : number;
    const float width = ImGui::CalcTextSize(name.c_str()).x + px(18);
    if (i > 0) {
      const float after =
          ImGui::GetItemRectMax().x - ImGui::GetWindowPos().x + ImGui::GetScrollX() + gap_between;
      if (after + width < right) ImGui::SameLine(0, gap_between);
    }
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float height = ImGui::GetTextLineHeight() + px(4);
    const WithId scope(static_cast<int>(i));
    if (hit_area(("###lesson_page_" + std::to_string(i + 1)).c_str(), ImVec2(width, height)))
      player.go(state, static_cast<int>(i));
    note_item("lesson_page_" + std::to_string(i + 1));
    if (!room) compat::item_tooltip(title.c_str());
    draw_sign(ImVec2(at.x + px(6), at.y + height / 2), player.progress_of(lesson, page), here);
    const ImU32 ink = here ? theme().accent : ImGui::IsItemHovered() ? theme().text : theme().text_dim;
    ImGui::GetWindowDrawList()->AddText(ImVec2(at.x + px(16), at.y + px(2)), ink, name.c_str());
  }
}

// What the lesson is for, over its first page.
void draw_goal(const LessonPlayer& player) {
  const std::string goal_key = lesson_key(player.lesson(), "goal");
  const Text goal = Text::of(goal_key);
  if (player.page_index() > 0 || !goal.has_words()) return;
  dim_text(tr("lessons.goal"));
  note_item("lesson_goal");
  wrapped_text(goal.str(), theme().text_dim);
  gap(1);
}

bool wants_full(const Page& page) {
  const nlohmann::json& look = page.state.look();
  return !look.is_object() || look.value("level", std::string("full")) == "full";
}

// A lesson of the easy window says it before a page leaves it.
void draw_what_comes(const LessonPlayer& player) {
  const auto& pages = player.lesson().pages;
  const auto next = static_cast<std::size_t>(player.page_index()) + 1;
  if (!player.lesson().easy || next >= pages.size()) return;
  if (wants_full(player.page()) || !wants_full(pages[next])) return;
  wrapped_text(tr("lessons.next_full"), theme().text_dim);
}

// In the place of the pages, where something else is looked at.
void draw_return(FrameState& state) {
  const WithVar slim(ImGuiStyleVar_FramePadding, ImVec2(px(10), px(2)));
  if (primary_button(std::string("\u25c0 ") + tr("lessons.back_to_page") + "###lesson_return"))
    state.lessons.return_to_page(state);
}

// What is said of the answer, between the question and the buttons: it lies over the end of the words, which
// stand still whatever is said. It keeps its height until the page is turned.
void draw_said(FrameState& state, float most) {
  LessonPlayer& player = state.lessons;
  if (player.at_end()) return;
  const float height = std::min(player.said_height, most);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (height > 0) {
    ImGui::GetWindowDrawList()->AddLine(at, ImVec2(at.x + ImGui::GetContentRegionAvail().x, at.y),
                                        theme().border);
  }
  compat::begin_child("###lesson_said", ImVec2(0, std::max(1.f, height)), false,
                      player.said_height > most ? 0 : ImGuiWindowFlags_NoScrollbar);
  ImGui::SetCursorPosY(px(6));
  const float empty = ImGui::GetCursorPosY();
  draw_verdict(state);
  const float tall = ImGui::GetCursorPosY() + ImGui::GetScrollY();
  if (tall > empty && tall > player.said_height) {
    player.said_height = tall;
    state.workspace.moving = true;
  }
  ImGui::EndChild();
  note_item("lesson_said");
  // Dear ImGui 1.92 makes a child at least 7 pixels high: nothing moves by that.
  ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + std::max(1.f, height) + ImGui::GetStyle().ItemSpacing.y));
}

// Text and question in what the buttons leave: these stand still whatever is said. Scrolls to a new hint.
void draw_words(FrameState& state, float below) {
  LessonPlayer& player = state.lessons;
  const float all = std::max(px(kLeastWords), ImGui::GetContentRegionAvail().y - below);
  // While one may still choose, what is said covers the choices as little as it can: it scrolls instead. With
  // the reason the words scroll, so that both the reason and the end of the question can be read.
  const bool choices =
      player.asks() && !player.told() && std::holds_alternative<ChoiceAsk>(player.page().ask);
  const float free = all - player.ask_end - ImGui::GetStyle().ItemSpacing.y;
  const float most = choices ? std::clamp(free, px(kLeastSaid), all * kMostSaid) : all * kMostSaid;
  const float under = std::max(1.f, std::min(player.said_height, most));
  const float room = player.at_end() ? all : all - under - ImGui::GetStyle().ItemSpacing.y;
  const float bar = player.words_scroll ? 0 : ImGui::GetStyle().ScrollbarSize;  // nothing moves when it comes
  compat::begin_child("###lesson_words", ImVec2(-bar, room), false);
  player.words_scroll = ImGui::GetScrollMaxY() > 0;
  if (player.at_end()) {
    draw_recap(state);
    return ImGui::EndChild();
  }
  // Where there is no room for the goal, the question comes first; this is decided before anything is
  // answered.
  if (player.draft().hints == 0 && player.said_height == 0) player.goal_first = player.page_height <= room;
  const bool fits = player.goal_first;
  if (fits) draw_goal(player);
  {
    const WithFont face(fonts().title);
    wrapped_text(page_words(player.lesson(), player.page(), "title"), theme().text);
  }
  reading_text(page_words(player.lesson(), player.page(), "text"), theme().text);
  gap(3);
  const float card = player.card_height, page = player.page_height;
  draw_ask(state);
  player.ask_end = ImGui::GetCursorPosY();
  draw_what_comes(player);
  if (!fits) {
    // It begins below what is in sight, and no line of it is cut at the edge.
    const float rest = room - ImGui::GetCursorPosY();
    if (rest > 0 && rest < 2 * ImGui::GetTextLineHeightWithSpacing()) ImGui::Dummy(ImVec2(1, rest));
    draw_goal(player);
  }
  player.page_height = ImGui::GetCursorPosY() + player.card_height - card;
  // Draw another frame if a height changed: layouts use the last frame's.
  state.workspace.moving |= player.reveal != 0 || player.page_height != page || player.card_height != card;
  const float end = player.ask_end, hidden = end - ImGui::GetScrollY() - ImGui::GetWindowHeight();
  const bool held = ImGui::IsMouseDown(0);  // nothing moves under the mouse
  if (player.reveal > 0 && !held && hidden > 0) ImGui::SetScrollY(ImGui::GetScrollY() + hidden);
  if (player.reveal < 0) ImGui::SetScrollY(0);
  if (player.reveal < 0 || !held) player.reveal = std::max(0, player.reveal - 1);
  ImGui::EndChild();
  draw_said(state, most);
}

}  // namespace

void draw_lesson_panel(FrameState& state) {
  LessonPlayer& player = state.lessons;
  if (!player.open()) return;
  const WithVar spacing(ImGuiStyleVar_ItemSpacing, ImVec2(px(8), px(7)));
  compat::begin_child("###lesson_body", ImVec2(ImGui::GetContentRegionAvail().x - px(10), 0), false);
  draw_head(state);
  if (player.open()) {
    gap(3);
    const ImGuiStyle& style = ImGui::GetStyle();
    const ImVec2 size = ImGui::GetContentRegionAvail();
    const float names = pages_height(player.lesson(), size.x), numbers = ImGui::GetTextLineHeight() + px(8);
    const bool room = size.y - names > px(kRoomForNames);
    const float pages = room ? names : numbers;
    const float way = ImGui::GetFrameHeight() + px(7) + 4 * style.ItemSpacing.y;
    draw_words(state, way + pages);
    gap(3);
    draw_way(state);
    gap(4);
    player.wandered(state) ? draw_return(state) : draw_pages(state, room);
  }
  ImGui::EndChild();
}

void draw_lesson_switch(FrameState& state) {
  LessonPlayer& player = state.lessons;
  const bool covered = player.hides();
  if (covered) player.inspecting = false;
  if (chip(tr("lessons.tab") + std::string("###lesson_tab"), !player.inspecting)) player.inspecting = false;
  ImGui::SameLine(0, px(6));
  {
    const DisabledScope hidden(covered);
    if (chip(tr("inspector.title") + std::string("###lesson_inspector"), player.inspecting))
      player.inspecting = true;
  }
  if (state.session.before().empty() || !state.session.shows_page()) return;
  ImGui::SameLine(0, px(6));
  const bool room = ImGui::GetContentRegionAvail().x >= chip_width(tr("lessons.back"));
  const bool back = chip(tr(room ? "lessons.back" : "lessons.back.short") + std::string("###lesson_back"),
                         false, tr("lessons.close.back"));
  if (back) player.close(state);
}

}  // namespace attnscope
