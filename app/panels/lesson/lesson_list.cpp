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

constexpr float kLessonListWidth = 560;

int asked_pages(const Lesson& lesson) {
  return static_cast<int>(std::count_if(lesson.pages.begin(), lesson.pages.end(),
                                        [](const Page& page) { return page.ask.index() > 0; }));
}

void title_line(std::string_view key) {
  const WithFont face(fonts().title);
  ImGui::TextUnformatted(tr(key));
}

// Lectures: a click walks one from its first slide.
void draw_lectures(FrameState& state, float width) {
  const std::vector<Choice> all = choices(state, Takes::lecture);
  if (all.empty()) return;
  title_line("lecture.list");
  for (const Choice& lecture : all) {
    note_text(lecture.title);
    const std::string shown = shortened(lecture.title, width - px(16));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (ImGui::Selectable(("###lecture_" + lecture.argument).c_str(), false, 0, ImVec2(width, px(24)))) {
      perform(state, "lecture.open", lecture.argument);
      ImGui::CloseCurrentPopup();
    }
    note_item("lecture_" + lecture.argument);
    ImGui::GetWindowDrawList()->AddText(ImVec2(at.x + px(6), at.y + px(4)), theme().text, shown.c_str());
  }
}

void draw_lessons(FrameState& state, float width) {
  LessonPlayer& player = state.lessons;
  title_line("lessons.list");
  for (const Lesson& lesson : player.lessons()) {
    const int right = player.progress().right_in(player.learner(), lesson.kept), of = asked_pages(lesson);
    std::string done = tr("lessons.done", {std::to_string(right), std::to_string(of)});
    if (lesson.minutes > 0)
      done = tr("lessons.done.minutes", {done, tr("lessons.minutes", {std::to_string(lesson.minutes)})});
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const Label print(tr("lessons.sheet"), "###lesson_print_" + lesson.id);
    const float room = player.teaches ? width - chip_width(print) - px(4) : width;
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
    if (!player.teaches) continue;
    ImGui::SameLine(0, px(4));
    if (chip(print, false, tr("lessons.sheet.help"))) {
      ask_worksheet(state, lesson.id, player.sheet_answers);
      ImGui::CloseCurrentPopup();
    }
  }
}

// The documents of the course, and where the program shows what they say.
void draw_course_row(FrameState& state, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (ImGui::Selectable("###lessons_course", false, 0, ImVec2(width, px(24)))) {
    perform(state, "learn.course");
    ImGui::CloseCurrentPopup();
  }
  note_item("lessons_course");
  ImGui::GetWindowDrawList()->AddText(ImVec2(at.x + px(6), at.y + px(4)), theme().text, tr("lessons.course"));
}

// One list to scroll, as tall as the window has room for.
void draw_rows(FrameState& state) {
  const float width = px(kLessonListWidth);
  compat::begin_child("###lesson_rows", ImVec2(width, ImGui::GetIO().DisplaySize.y * 0.72f), false);
  draw_lessons(state, width - px(24));
  ImGui::Dummy(ImVec2(0, px(6)));
  draw_lectures(state, width - px(24));
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

// Worksheets with their answers, and the table of who has answered what.
void draw_for_teachers(FrameState& state) {
  ImGui::Checkbox(Label(tr("lessons.sheet.answers"), "###lesson_sheet_answers").c_str(),
                  &state.lessons.sheet_answers);
  note_item("lesson_sheet_answers");
  ImGui::SameLine(0, px(8));
  if (raised_button(tr("lessons.csv") + std::string("###lesson_csv"))) {
    ask_csv(state);
    ImGui::CloseCurrentPopup();
  }
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
  if (chip(Label(tr("lessons.teachers"), "###lesson_teachers"), player.teaches, tr("lessons.teachers.help")))
    player.teaches = !player.teaches;
  ImGui::SameLine(0, px(8));
  if (raised_button(tr("frame.close") + std::string("###lessons_close"))) ImGui::CloseCurrentPopup();
  if (player.teaches) draw_for_teachers(state);
}

}  // namespace

void draw_lesson_list(FrameState& state) {
  bool& ask = state.lessons.list_open;
  if (ask) ImGui::OpenPopup("###lesson_list");
  ask = false;
  centre_next_window();
  if (!ImGui::BeginPopupModal("###lesson_list", nullptr, kListDialog)) return;
  draw_rows(state);
  draw_course_row(state, px(kLessonListWidth));
  draw_learner(state);
  if (escape_pressed()) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

}  // namespace attnscope
