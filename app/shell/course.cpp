#include "app/shell/course.h"

#include <algorithm>
#include <bit>
#include <sstream>

#include "app/gpu/gl_context.h"
#include "app/look/item_map.h"
#include "app/shell/dialogs.h"
#include "app/shell/startup.h"
#include "app/state/controls.h"
#include "app/widgets/pieces.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lab/lab.h"

namespace attnscope {
namespace {

// Units.
constexpr float kMostCourse = 980.f, kCourseRow = 26.f, kCourseChosen = 168.f, kAroundCourse = 190.f,
                kLeastRows = 90.f, kMostRows = 460.f, kCourseFind = 230.f, kMarkColumn = 64.f;
constexpr std::string_view kRowId = "###course_", kNumberId = "###number_";

Options options_of(const std::string& place) {
  std::vector<std::string> words{"attnscope"};
  std::istringstream in(place);
  for (std::string word; in >> word;) words.push_back(word);
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  return read_command_line(static_cast<int>(arguments.size()), arguments.data()).options;
}

// The name of a place: of its lesson, lab or view.
std::string place_name(const std::string& place) {
  if (place.empty()) return tr("course.nowhere");
  const Options options = options_of(place);
  if (!options.lesson.empty()) return tr(Label("lesson.", options.lesson, ".title"));
  if (options.lab.empty()) return tr(Label("view.", options.view));
  const auto lab = parse_lab_request(options.lab);
  return lab ? tr(Label("lab.", lab->lab->id(), ".title")) : options.lab;
}

// Rounded numbers agree without being the same.
TableCell sign_of(bool agrees, bool same = true) {
  return {!agrees ? "\u2260" : same ? "=" : "\u2248", agrees ? theme().ok : theme().warning};
}

std::uint64_t width_key(float width) { return std::bit_cast<std::uint32_t>(width); }

}  // namespace

const CourseAnswer* CourseWindow::answer(const std::string& id) const {
  const auto found =
      std::find_if(answers_.begin(), answers_.end(), [&](const auto& one) { return one.row.id == id; });
  return found == answers_.end() ? nullptr : &*found;
}

bool CourseWindow::listed(const CourseAnswer& one) const {
  if (!one.row.is_concept()) return false;
  if (letters_.empty()) return one.row.chapter == chapter_;
  const std::string wanted = lower(letters_);
  return lower(one.row.name().str()).find(wanted) != std::string::npos ||
         lower(one.sentence.str()).find(wanted) != std::string::npos || one.row.id.starts_with(wanted);
}

bool CourseWindow::belongs(const CourseAnswer& one) const {
  return one.row.number && (one.row.id == chosen_ || one.row.of == chosen_);
}

// A concept is marked where numbers of it are printed, and where the program shows only a part of it.
Table CourseWindow::concepts(float width) const {
  Table out;
  out.columns = {{TableColumn::Kind::text, tr("course.column.concept"), 0, 1},
                 {TableColumn::Kind::text, tr("course.column.where"), width * 0.27f},
                 {TableColumn::Kind::text, "", px(kMarkColumn)}};
  out.row = px(kCourseRow);
  for (auto at = answers_.begin(); at != answers_.end(); ++at) {
    if (!listed(*at)) continue;
    bool counts = false, agrees = true;
    for (auto next = at; next != answers_.end() && (next == at || !next->row.is_concept()); ++next)
      counts |= next->row.number.has_value(), agrees &= next->agrees;
    TableCell mark{at->row.half ? tr("course.mark.half") : "", theme().text_dim};
    if (counts && (!agrees || !at->row.half)) mark = sign_of(agrees);
    out.rows.push_back({std::string(kRowId) + at->row.id,
                        {{at->row.name().str()}, {place_name(at->row.place), theme().text_dim}, mark},
                        at->row.id == chosen_});
    for (const TableCell& cell : out.rows.back().cells) note_text(cell.text);
  }
  return out;
}

// A table for each number, so that its reason stands below it.
std::vector<Table> CourseWindow::numbers(float width) const {
  std::vector<Table> out;
  const float number = width * 0.17f;
  for (const CourseAnswer& one : answers_) {
    if (!belongs(one)) continue;
    const bool first = out.empty(), same = one.row.number->printed == *one.program;
    Table table;
    table.columns = {{TableColumn::Kind::text, first ? tr("course.column.number") : "", 0, 1},
                     number_column(first ? tr("course.column.printed") : "", number),
                     number_column(first ? tr("course.column.program") : "", number),
                     {TableColumn::Kind::text, "", px(26)}};
    table.rows.push_back({std::string(kNumberId) + one.row.id,
                          {{one.row.name().str()},
                           {course_number(one.row.number->printed)},
                           {course_number(*one.program), sign_of(one.agrees).ink},
                           sign_of(one.agrees, same)}});
    for (const TableCell& cell : table.rows.back().cells) note_text(cell.text);
    out.push_back(std::move(table));
  }
  return out;
}

// Goes to the place of a row; one of another model when that is open.
void CourseWindow::go(FrameState& state, const CourseRow& row) {
  if (row.place.empty()) return;
  ImGui::CloseCurrentPopup();
  Options options = options_of(row.place);
  if (!options.lesson.empty()) {
    const Status begun = state.lessons.start(state, options.lesson, std::max(0, options.page - 1));
    if (!begun) state.session.report(begun.error());
    return;
  }
  // The page of a lesson is not beside what it does not speak of.
  if (state.lessons.open()) state.commands.act([&state](Session&) { state.lessons.drop(state); });
  state.workspace.level = Level::full;
  state.workspace.backward = options.backward;
  (void)apply_look(state, options);
  if (options.path.empty()) return;
  const auto& opened = state.session.document().opened;
  if (!opened || opened->path != options.path) state.open(options.path);
  pending_ = std::move(options);
}

// The chapters, and the search. True where Enter was pressed in it.
bool CourseWindow::draw_chapters(float width) {
  const float from = ImGui::GetCursorPosX();
  for (const std::string& chapter : course_chapters()) {
    const Label key("course.chapter.", chapter);
    const bool on = letters_.empty() && chapter_ == chapter;
    if (chip(Label(tr(key), "###chapter_", chapter), on))
      chapter_ = chapter, letters_.clear(), chosen_ = chapter + "-01";
    ImGui::SameLine(0, px(6));
  }
  ImGui::SetCursorPosX(from + width - px(kCourseFind));
  ImGui::SetNextItemWidth(px(kCourseFind));
  const bool entered = ImGui::InputTextWithHint("###course_find", tr("course.find"), &letters_,
                                                ImGuiInputTextFlags_EnterReturnsTrue);
  note_item("course_find");
  return entered;
}

void CourseWindow::draw_concepts(float width, float tall) {
  compat::begin_child("###course_rows", ImVec2(width, tall), false);
  const float room = width - ImGui::GetStyle().ScrollbarSize - px(6);
  const Table& shown = concepts_.get({key_of(chapter_), key_of(chosen_), key_of(letters_), key_of(language()),
                                      width_key(room), answers_.size()},
                                     [&] { return concepts(room); });
  if (answers_.empty())
    dim_text(tr("frame.computing"));
  else if (shown.rows.empty())
    dim_text(tr("course.none"));
  const TableEvent event =
      shown.rows.empty() ? TableEvent() : draw_table(shown, ImGui::GetCursorScreenPos(), room);
  ImGui::EndChild();
  const auto chosen = [](const TableRow& row) { return row.lit; };
  const bool first = !shown.rows.empty() && std::none_of(shown.rows.begin(), shown.rows.end(), chosen);
  if (event.clicked < 0 && !first) return;
  chosen_ = shown.rows[static_cast<std::size_t>(std::max(0, event.clicked))].id.substr(kRowId.size());
}

// The chosen concept: its sentence, what is not shown of it, its numbers, and why those differ.
void CourseWindow::draw_chosen(FrameState& state, float width, float tall) {
  compat::begin_child("###course_chosen", ImVec2(width, tall), false);
  const CourseAnswer* chosen = answer(chosen_);
  if (!chosen || !listed(*chosen)) {
    ImGui::EndChild();
    return;
  }
  const float room = width - ImGui::GetStyle().ScrollbarSize - px(6);
  const auto line = [&](const Text& text, ImU32 ink) {
    if (text.empty()) return;
    note_text(text.str());
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + room);
    wrapped_text(text.str(), ink);
    ImGui::PopTextWrapPos();
  };
  line(chosen->sentence, theme().text);
  line(chosen->half, theme().text_dim);
  if (!chosen->row.place.empty()) {
    if (primary_button(Label(tr("course.go"), "###course_go"))) go(state, chosen->row);
    compat::item_tooltip(tr("course.go.help"));
  }
  const std::vector<Table>& shown = numbers_.get(
      {key_of(chosen_), key_of(language()), width_key(room), answers_.size()}, [&] { return numbers(room); });
  const CourseAnswer* clicked = nullptr;
  std::size_t at = 0;
  for (const CourseAnswer& one : answers_) {
    if (!belongs(one) || at == shown.size()) continue;
    if (draw_table(shown[at++], ImGui::GetCursorScreenPos(), room).clicked >= 0) clicked = &one;
    line(one.why, theme().warning);
  }
  ImGui::EndChild();
  if (clicked) go(state, clicked->row);
}

void CourseWindow::compute(FrameState& state) {
  const auto made = made_.get(1, state.session.workers(),
                              [](const std::atomic<bool>&) -> Result<std::vector<CourseAnswer>> {
                                TRY(const std::vector<CourseRow> rows, course_rows());
                                auto out = compute_course(rows);
                                wake_window();
                                return out;
                              });
  if (made && *made) answers_ = **made;
  if (made && !*made) state.session.report(made->error());
}

void CourseWindow::draw(FrameState& state, const RunResult* run) {
  if (pending_ && run && run->document.opened->path == pending_->path) {
    std::vector<std::string> notes;
    (void)apply_cursor(state, *run, *pending_, notes);
    pending_.reset();
  }
  if (!begin_dialog("###course", state.show_course)) return;
  if (answers_.empty()) compute(state);
  {
    const WithFont face(fonts().title);
    ImGui::TextUnformatted(tr("course.title"));
  }
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float width = std::min(px(kMostCourse), screen.x - px(90));
  if (chapter_.empty()) chapter_ = course_chapters().front(), chosen_ = chapter_ + "-01";
  ImGui::Dummy(ImVec2(width, px(2)));
  const bool entered = draw_chapters(width);
  const float tall = screen.y - px(kAroundCourse + kCourseChosen);
  draw_concepts(width, std::clamp(tall, px(kLeastRows), px(kMostRows)));
  ImGui::Separator();
  draw_chosen(state, width, px(kCourseChosen));
  if (const CourseAnswer* chosen = entered ? answer(chosen_) : nullptr; chosen && listed(*chosen))
    go(state, chosen->row);
  const auto count = [&](const auto& is) { return std::count_if(answers_.begin(), answers_.end(), is); };
  const std::string counted =
      tr("course.count", {std::to_string(count([](const auto& one) { return one.row.is_concept(); })),
                          std::to_string(count([](const auto& one) { return one.row.number.has_value(); })),
                          std::to_string(count([](const auto& one) { return !one.agrees; }))});
  end_dialog("learn.course", answers_.empty() ? nullptr : counted.c_str());
}

}  // namespace attnscope
