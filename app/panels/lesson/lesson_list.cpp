// The list of lessons with the learner's progress, the learner's name, and the CSV export.
#include <algorithm>

#include "app/look/item_map.h"
#include "app/panels/lesson/lesson_panel.h"
#include "app/state/actions.h"
#include "app/state/controls.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"
#include "core/system/atomic_file.h"

namespace attnscope {
namespace {

constexpr ImGuiWindowFlags kListDialog = ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                                         ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoTitleBar |
                                         ImGuiWindowFlags_AlwaysAutoResize;

int asked_pages(const Lesson& lesson) {
  return static_cast<int>(std::count_if(lesson.pages.begin(), lesson.pages.end(),
                                        [](const Page& page) { return page.ask.index() > 0; }));
}

void draw_rows(FrameState& state) {
  LessonPlayer& player = state.lessons;
  const float width = px(560);
  compat::begin_child("###lesson_rows",
                      ImVec2(width, std::min(px(430), ImGui::GetIO().DisplaySize.y * 0.45f)), false);
  for (const Lesson& lesson : player.lessons()) {
    const int right = player.progress().right_in(player.learner(), lesson.id), of = asked_pages(lesson);
    std::string done = tr("lessons.done", {std::to_string(right), std::to_string(of)});
    if (lesson.minutes > 0)
      done = tr("lessons.done.minutes", {done, tr("lessons.minutes", {std::to_string(lesson.minutes)})});
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const std::string print = tr("lessons.sheet");
    const float button = ImGui::CalcTextSize(print.c_str()).x + px(16), room = width - px(24) - button;
    if (ImGui::Selectable(("###lesson_" + lesson.id).c_str(), false, 0, ImVec2(room, px(24)))) {
      perform(state, "learn.open", lesson.id);
      ImGui::CloseCurrentPopup();
    }
    note_item("lesson_" + lesson.id);
    const std::string goal_key = lesson_key(lesson, "goal");
    if (const Text goal = Text::of(goal_key); ImGui::IsItemHovered() && goal.has_words())
      compat::item_tooltip(goal.str().c_str());
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImU32 ink = right >= of ? theme().ok : right > 0 ? theme().accent : theme().text_dim;
    list->AddText(ImVec2(at.x + px(6), at.y + px(4)), theme().text, lesson_title(lesson).c_str());
    list->AddText(ImVec2(at.x + room - px(6) - ImGui::CalcTextSize(done.c_str()).x, at.y + px(4)), ink,
                  done.c_str());
    ImGui::SameLine(0, px(4));
    if (chip(print + "###lesson_print_" + lesson.id, false, tr("lessons.sheet.help"))) {
      ask_worksheet(state, lesson.id, player.sheet_answers);
      ImGui::CloseCurrentPopup();
    }
  }
  ImGui::EndChild();
}

// Lectures, above the lessons: a click walks it from its first slide.
void draw_lectures(FrameState& state) {
  const std::vector<Choice> all = choices(state, Takes::lecture);
  if (all.empty()) return;
  {
    const WithFont face(fonts().title);
    ImGui::TextUnformatted(tr("lecture.list"));
  }
  const float width = px(560);
  const float tall = std::min(static_cast<float>(all.size()) * (px(24) + ImGui::GetStyle().ItemSpacing.y),
                              ImGui::GetIO().DisplaySize.y * 0.25f);
  compat::begin_child("###lecture_rows", ImVec2(width, tall), false);
  for (const Choice& lecture : all) {
    note_text(lecture.title);
    const std::string shown = shortened(lecture.title, width - px(40));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (ImGui::Selectable(("###lecture_" + lecture.argument).c_str(), false, 0,
                          ImVec2(width - px(24), px(24)))) {
      perform(state, "lecture.open", lecture.argument);
      ImGui::CloseCurrentPopup();
    }
    note_item("lecture_" + lecture.argument);
    ImGui::GetWindowDrawList()->AddText(ImVec2(at.x + px(6), at.y + px(4)), theme().text, shown.c_str());
  }
  ImGui::EndChild();
}

void ask_csv(FrameState& state) {
  FileQuestion question;
  question.save = true;
  question.title = "lessons.csv.title";
  question.name = "attnscope-lessons.csv";
  question.chosen = [&state](Session& session, const std::string& path) {
    const Status written = write_file(path, state.lessons.progress().csv());
    if (!written) return session.report(written.error());
    state.notify(Notice::Kind::good, Text::of("lessons.csv.done", {path}));
  };
  state.commands.ask_file(std::move(question));
}

void draw_learner(FrameState& state) {
  LessonPlayer& player = state.lessons;
  std::string name = player.learner();
  ImGui::AlignTextToFramePadding();
  dim_text(tr("lessons.learner"));
  ImGui::SameLine(0, px(8));
  ImGui::SetNextItemWidth(px(200));
  note_text(name);
  if (ImGui::InputTextWithHint("###lesson_learner", tr("lessons.learner.hint"), &name))
    player.set_learner(name);
  note_item("lesson_learner");
  ImGui::SameLine(0, px(8));
  ImGui::Checkbox(Label(tr("lessons.sheet.answers"), "###lesson_sheet_answers").c_str(),
                  &player.sheet_answers);
  note_item("lesson_sheet_answers");
  ImGui::SameLine(0, px(8));
  if (raised_button(tr("lessons.csv") + std::string("###lesson_csv"))) {
    ask_csv(state);
    ImGui::CloseCurrentPopup();
  }
  ImGui::SameLine(0, px(8));
  if (raised_button(tr("frame.close") + std::string("###lessons_close"))) ImGui::CloseCurrentPopup();
}

}  // namespace

void draw_lesson_list(FrameState& state) {
  bool& ask = state.lessons.list_open;
  if (ask) ImGui::OpenPopup("###lesson_list");
  ask = false;
  centre_next_window();
  if (!ImGui::BeginPopupModal("###lesson_list", nullptr, kListDialog)) return;
  draw_lectures(state);
  {
    const WithFont face(fonts().title);
    ImGui::TextUnformatted(tr("lessons.list"));
  }
  draw_rows(state);
  draw_learner(state);
  if (escape_pressed()) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

}  // namespace attnscope
