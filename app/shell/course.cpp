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
constexpr float kMostCourse = 1240.f, kCourseRow = 32.f, kAroundCourse = 150.f, kLeastRows = 90.f,
                kCourseFind = 230.f, kIdColumn = 84.f, kMarkColumn = 64.f, kChosenEdge = 16.f;
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
  return one.row.id == chosen_ || one.row.of == chosen_;
}

// The columns; their titles stand above the first rows alone.
Table CourseWindow::columns(float width, bool titles) {
  const auto title = [&](const char* key) { return std::string(titles ? tr(key) : ""); };
  Table out;
  out.columns = {{TableColumn::Kind::text, "", px(kIdColumn)},
                 {TableColumn::Kind::text, title("course.column.concept"), 0, 1},
                 {TableColumn::Kind::text, title("course.column.where"), width * 0.19f},
                 number_column(title("course.column.printed"), width * 0.135f),
                 number_column(title("course.column.program"), width * 0.135f),
                 {TableColumn::Kind::text, "", px(kMarkColumn)}};
  out.row = px(kCourseRow), out.words = fonts().reading;
  return out;
}

// A concept, or a number that belongs to one: what is printed, and what the program computes.
TableRow CourseWindow::row_of(const CourseAnswer& one) const {
  const CourseRow& row = one.row;
  const bool whole = row.is_concept();
  TableRow out;
  out.id = std::string(whole ? kRowId : kNumberId) + row.id;
  out.lit = row.id == chosen_;
  out.cells = {{whole ? row.id : std::string(), theme().text_dim, NAN, 0, fonts().reading},
               {row.name().str(), whole ? theme().text : theme().text_dim},
               {whole ? place_name(row.place) : std::string(), theme().accent, NAN, 0, fonts().reading}};
  if (row.number) {
    out.cells.push_back({course_number(row.number->printed)});
    out.cells.push_back({course_number(*one.program), sign_of(one.agrees).ink});
    out.cells.push_back(sign_of(one.agrees, row.number->printed == *one.program));
  } else if (row.half) {
    out.cells.resize(5);
    out.cells.push_back({tr("course.mark.half"), theme().text_dim});
  }
  for (const TableCell& cell : out.cells) note_text(cell.text);
  return out;
}

// The rows up to the chosen concept and its numbers, and those after them.
std::array<Table, 2> CourseWindow::rows(float width) const {
  std::array<Table, 2> out{columns(width, true), columns(width, false)};
  bool passed = false, after = false, shown = false;
  for (const CourseAnswer& one : answers_) {
    if (one.row.is_concept()) shown = listed(one);
    if (!shown) continue;
    after = after || (passed && !belongs(one));
    passed = passed || belongs(one);
    out[after ? 1 : 0].rows.push_back(row_of(one));
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

// What there is to say of the chosen concept, below its rows.
void CourseWindow::draw_chosen(FrameState& state, float width) {
  const CourseAnswer* chosen = answer(chosen_);
  if (!chosen || !listed(*chosen)) return;
  const float left = ImGui::GetCursorPosX() + px(kIdColumn);
  const auto line = [&](const Text& text, ImU32 ink) {
    if (text.empty()) return;
    note_text(text.str());
    ImGui::SetCursorPosX(left);
    ImGui::PushTextWrapPos(left + width - px(kIdColumn + kChosenEdge));
    wrapped_text(text.str(), ink);
    ImGui::PopTextWrapPos();
  };
  {
    const WithFont face(fonts().reading);
    line(chosen->sentence, theme().text);
    line(chosen->half, theme().text_dim);
    for (const CourseAnswer& one : answers_)
      if (belongs(one)) line(one.why, theme().warning);
  }
  if (chosen->row.place.empty()) return;
  ImGui::SetCursorPosX(left);
  if (primary_button(Label(tr("course.go"), "###course_go"))) go(state, chosen->row);
  compat::item_tooltip(tr("course.go.help"));
  ImGui::Dummy(ImVec2(1, px(4)));
}

void CourseWindow::draw_rows(FrameState& state, float width, float tall) {
  compat::begin_child("###course_rows", ImVec2(width, tall), false);
  const float room = width - ImGui::GetStyle().ScrollbarSize - px(6);
  if (answers_.empty()) dim_text(tr("frame.computing"));
  const std::array<Table, 2>& shown =
      rows_.get({key_of(chapter_), key_of(chosen_), key_of(letters_), key_of(language()), width_key(room),
                 answers_.size(), static_cast<std::uint64_t>(theme().kind)},
                [&] { return rows(room); });
  if (!answers_.empty() && shown[0].rows.empty()) dim_text(tr("course.none"));
  std::string clicked;
  const auto put = [&](const Table& table) {
    if (table.rows.empty()) return;
    const int row = draw_table(table, ImGui::GetCursorScreenPos(), room).clicked;
    if (row >= 0) clicked = table.rows[static_cast<std::size_t>(row)].id;
  };
  put(shown[0]);
  draw_chosen(state, room);
  put(shown[1]);
  ImGui::EndChild();
  if (clicked.empty()) {
    const CourseAnswer* chosen = answer(chosen_);
    const bool none = !chosen || !listed(*chosen);
    if (none && !shown[0].rows.empty()) chosen_ = shown[0].rows.front().id.substr(kRowId.size());
    return;
  }
  const bool number = clicked.starts_with(kNumberId);
  const CourseAnswer* one = answer(clicked.substr(number ? kNumberId.size() : kRowId.size()));
  if (!number)
    chosen_ = one->row.id;
  else if (one->row.of == chosen_)
    go(state, one->row);
  else
    chosen_ = one->row.of;
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
    keep_beside(state, pending_->beside);
    pending_.reset();
  }
  if (!begin_dialog("###course", state.show_course)) return;
  if (answers_.empty()) compute(state);
  {
    const WithFont face(fonts().title);
    ImGui::TextUnformatted(tr("course.title"));
  }
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float width = std::min(px(kMostCourse), screen.x - px(60));
  if (chapter_.empty()) chapter_ = course_chapters().front(), chosen_ = chapter_ + "-01";
  ImGui::Dummy(ImVec2(width, px(2)));
  const bool entered = draw_chapters(width);
  draw_rows(state, width, std::max(px(kLeastRows), screen.y - px(kAroundCourse)));
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
