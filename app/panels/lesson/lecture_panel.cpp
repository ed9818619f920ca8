#include "app/panels/lesson/lecture_panel.h"

#include <algorithm>

#include "app/look/item_map.h"
#include "app/panels/lesson/lesson_ask.h"
#include "app/state/actions.h"
#include "app/state/controls.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kRow = 28.f, kNoteLines = 3.f, kLeastList = 90.f;  // units, lines

// A button that runs an action of the table; false where there is no room for it in this line.
void lecture_button(FrameState& state, ChipRow& row, const char* id, const char* label) {
  const Action& action = *find_action(id);
  const DisabledScope off(!is_possible(action, state));
  if (row(Label(tr(label), "###", id), false, action_name(action).c_str())) perform(state, id);
}

void draw_lecture_head(FrameState& state) {
  LecturePlayer& player = state.lecture;
  std::string title = in_language(player.lecture().title);
  note_text(title);
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  if (ImGui::InputTextWithHint("###lecture_title", tr("lecture.untitled"), &title))
    player.rename_lecture(title);
  note_item("lecture_title");
  gap(1);
  ChipRow row(ImGui::GetContentRegionAvail().x, 5);
  lecture_button(state, row, "lecture.keep", "lecture.button.keep");
  lecture_button(state, row, player.walking() ? "lecture.end" : "lecture.walk",
                 player.walking() ? "lecture.button.end" : "lecture.button.walk");
  if (row(Label(tr("lecture.button.present"), "###lecture_present"), false, tr("lecture.present.help"))) {
    if (!player.walking()) perform(state, "lecture.walk");
    perform(state, "view.present");
  }
  lecture_button(state, row, "lecture.undo", "lecture.button.undo");
  lecture_button(state, row, "lecture.save", "lecture.button.save");
  lecture_button(state, row, "file.open", "lecture.button.open");
  lecture_button(state, row, "lecture.new", "lecture.button.new");
}

// Of the part below the list: title, note, two lines of buttons.
float editor_height() {
  return 3 * (ImGui::GetFrameHeight() + ImGui::GetStyle().ItemSpacing.y) +
         kNoteLines * ImGui::GetTextLineHeight() + px(8) + 2 * ImGui::GetStyle().ItemSpacing.y;
}

// Title, note and buttons of the chosen slide.
void draw_chosen_slide(FrameState& state, int index) {
  LecturePlayer& player = state.lecture;
  std::string title = player.slide_title(index), note = in_language(player.slide(index).note);
  note_text(title);
  note_text(note);
  const float width = ImGui::GetContentRegionAvail().x - px(4);
  ImGui::SetNextItemWidth(width);
  if (ImGui::InputTextWithHint("###lecture_slide_title", tr("lecture.slide.title"), &title))
    player.rename(index, title);
  note_item("lecture_slide_title");
  const ImVec2 field(width, kNoteLines * ImGui::GetTextLineHeight() + px(8));
  if (ImGui::InputTextMultiline("###lecture_slide_note", &note, field)) player.note(index, note);
  note_item("lecture_slide_note");
  compat::item_tooltip(tr("lecture.note.help"));
  const int last = static_cast<int>(player.size()) - 1;
  ChipRow row(width, 5);
  {
    const DisabledScope first(index == 0);
    if (row("\u25b2###lecture_up", false, tr("lecture.up"))) player.move(index, -1);
  }
  {
    const DisabledScope at_end(index == last);
    if (row("\u25bc###lecture_down", false, tr("lecture.down"))) player.move(index, 1);
  }
  if (player.at() == index) lecture_button(state, row, "lecture.replace", "lecture.button.replace");
  if (row(Label(tr("lecture.button.delete"), "###lecture_delete"), false, tr("lecture.delete.help")))
    state.commands.act([&state, index](Session&) { state.lecture.remove(state, index); });
}

void draw_slide_row(FrameState& state, int index) {
  LecturePlayer& player = state.lecture;
  const std::string name = "lecture_slide_" + std::to_string(index + 1);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x - px(4), tall = px(kRow);
  if (hit_area(("###" + name).c_str(), ImVec2(width, tall)))
    state.commands.act([&state, index](Session&) { state.lecture.go(state, index); });
  note_item(name);
  const bool here = player.at() == index, chosen = player.chosen == index;
  if (player.shown_in_list != player.chosen && chosen) {
    ImGui::SetScrollHereY(0.5f);
    player.shown_in_list = player.chosen;
  }
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 end(at.x + width, at.y + tall);
  if (here || chosen || ImGui::IsItemHovered())
    list->AddRectFilled(at, end, here ? theme().accent_soft : theme().hovered, px(5));
  const std::string number = std::to_string(index + 1);
  const float y = at.y + (tall - ImGui::GetTextLineHeight()) / 2;
  list->AddText(ImVec2(at.x + px(8), y), theme().text_dim, number.c_str());
  const std::string title = player.slide_title(index);
  const std::string shown = shortened(title, width - px(46));
  list->AddText(ImVec2(at.x + px(34), y), here ? theme().accent : theme().text, shown.c_str());
  note_text(title);
  if (shown != title) compat::item_tooltip(title.c_str());
}

void draw_slide_rows(FrameState& state) {
  const WithVar tight(ImGuiStyleVar_ItemSpacing, ImVec2(px(8), px(2)));
  for (int index = 0; index < static_cast<int>(state.lecture.size()); ++index) {
    const WithId scope(index);
    draw_slide_row(state, index);
  }
}

}  // namespace

void draw_lecture_panel(FrameState& state) {
  LecturePlayer& player = state.lecture;
  const WithVar spacing(ImGuiStyleVar_ItemSpacing, ImVec2(px(8), px(6)));
  compat::begin_child("###lecture_body", ImVec2(ImGui::GetContentRegionAvail().x - px(10), 0), false);
  draw_lecture_head(state);
  if (player.size() == 0) wrapped_text(tr("lecture.empty"), theme().text_dim);
  const int chosen = player.chosen;
  const bool edits = chosen >= 0 && chosen < static_cast<int>(player.size());
  const float room = ImGui::GetContentRegionAvail().y - (edits ? editor_height() : 0.f);
  if (player.size() > 0) {
    compat::begin_child("###lecture_rows", ImVec2(0, std::max(px(kLeastList), room)), false);
    draw_slide_rows(state);
    ImGui::EndChild();
  }
  if (edits) {
    const WithId scope(chosen);
    draw_chosen_slide(state, chosen);
  }
  ImGui::EndChild();
}

void draw_lecture_switch(FrameState& state) {
  bool& inspecting = state.lecture.inspecting;
  if (chip(tr("lecture.tab") + std::string("###lecture_tab"), !inspecting)) inspecting = false;
  ImGui::SameLine(0, px(6));
  if (chip(tr("inspector.title") + std::string("###lecture_inspector"), inspecting)) inspecting = true;
}

void draw_lecture_trouble(FrameState& state) {
  const auto& trouble = state.lecture.trouble();
  if (!trouble || !state.lecture.walking()) return;
  const ImVec2 min = state.stage_min, max = state.stage_max;
  ImGui::GetWindowDrawList()->AddRectFilled(min, max, theme().ground);
  const float width = std::min(max.x - min.x - px(40), px(560));
  ImGui::SetCursorScreenPos(ImVec2((min.x + max.x - width) / 2, min.y + (max.y - min.y) * 0.36f));
  compat::begin_child("###lecture_trouble", ImVec2(width, (max.y - min.y) * 0.5f), false,
                      ImGuiWindowFlags_NoScrollbar);
  const int at = state.lecture.at();
  {
    const WithFont face(fonts().title);
    wrapped_text(tr("lecture.trouble", {std::to_string(at + 1), state.lecture.slide_title(at)}),
                 theme().text);
  }
  reading_text(trouble->sentence(), theme().warning);
  reading_text(trouble->hint(), theme().text_dim);
  reading_text(tr("lecture.trouble.on"), theme().text_dim);
  note_text(trouble->text());
  ImGui::EndChild();
}

}  // namespace attnscope
