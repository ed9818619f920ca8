#include "app/shell/course.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <sstream>

#include "app/gpu/waker.h"
#include "app/look/item_map.h"
#include "app/shell/dialogs.h"
#include "app/shell/startup.h"
#include "app/state/controls.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kMostCourse = 860.f, kCourseRows = 330.f, kAroundCourse = 150.f;  // units

// "63,045,632", "0.2628": grouped where it is whole, else with the digits that tell.
std::string course_number(double value) {
  const bool whole = value == std::floor(value) && std::abs(value) < 1e15;
  return whole && value >= 0 ? format_count(static_cast<std::int64_t>(value)) : format("%.6g", value);
}

Options options_of(const std::string& place) {
  std::vector<std::string> words{"attnscope"};
  std::istringstream in(place);
  for (std::string word; in >> word;) words.push_back(word);
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  return read_command_line(static_cast<int>(arguments.size()), arguments.data()).options;
}

}  // namespace

Table CourseWindow::table(float width) const {
  Table out;
  const float number = width * 0.17f;
  out.columns = {{TableColumn::Kind::text, tr("course.column.concept"), 0, 1},
                 number_column(tr("course.column.printed"), number),
                 number_column(tr("course.column.program"), number),
                 {TableColumn::Kind::text, "", px(26)}};
  out.row = px(27);
  for (const CourseAnswer& one : answers_) {
    if (one.row.chapter != chapter_) continue;
    const ImU32 ink = one.agrees ? theme().ok : theme().warning;
    out.rows.push_back({"###course_" + one.row.id,
                        {{one.row.concept_text().str()},
                         {course_number(one.row.printed)},
                         {course_number(one.program), ink},
                         {one.agrees ? "=" : "\u2260", ink}},
                        one.row.id == chosen_});
    for (const TableCell& cell : out.rows.back().cells) note_text(cell.text);
  }
  return out;
}

// Goes to the place of a row; one of another model when that is open.
void CourseWindow::go(FrameState& state, const CourseRow& row) {
  Options options = options_of(row.place);
  if (options.path.empty()) options.path = row.model;
  state.workspace.level = Level::full;
  (void)apply_look(state, options);
  const auto& opened = state.session.document().opened;
  if (options.path.starts_with("model:") || options.path.starts_with("scene:"))
    if ((!opened || opened->path != options.path) && row.place.find(options.path) != std::string::npos)
      state.open(options.path);
  pending_ = std::move(options);
  ImGui::CloseCurrentPopup();
}

void CourseWindow::draw_rows(FrameState& state, float width) {
  const float tall = std::min(px(kCourseRows), ImGui::GetIO().DisplaySize.y - px(kAroundCourse + 120));
  compat::begin_child("###course_rows", ImVec2(width, std::max(px(90), tall)), false);
  const float room = width - ImGui::GetStyle().ScrollbarSize - px(6);
  const Table& shown = table_.get({key_of(chapter_), key_of(chosen_), key_of(language()),
                                   std::bit_cast<std::uint32_t>(room), answers_.size()},
                                  [&] { return table(room); });
  const TableEvent event = draw_table(shown, ImGui::GetCursorScreenPos(), room);
  ImGui::EndChild();
  if (event.clicked < 0) return;
  const std::string id = shown.rows[static_cast<std::size_t>(event.clicked)].id.substr(10);
  const auto found = std::find_if(answers_.begin(), answers_.end(),
                                  [&](const CourseAnswer& one) { return one.row.id == id; });
  if (found == answers_.end()) return;
  if (!found->agrees && chosen_ != id) {
    chosen_ = id;  // the reason first
    return;
  }
  go(state, found->row);
}

// Why the chosen row's numbers differ; a second click on it goes there.
void CourseWindow::draw_why(float width) {
  const auto found = std::find_if(answers_.begin(), answers_.end(),
                                  [&](const CourseAnswer& one) { return one.row.id == chosen_; });
  const bool here = found != answers_.end() && found->row.chapter == chapter_;
  const std::string& words = tr(here ? "course.why" : "course.sentence");
  compat::begin_child("###course_why", ImVec2(width, px(64)), false);
  if (here) {
    note_text(found->why.str());
    wrapped_text(found->why.str(), theme().text);
  }
  wrapped_text(words, theme().text_dim);
  ImGui::EndChild();
}

void CourseWindow::draw(FrameState& state, const RunResult* run) {
  if (pending_ && run && (pending_->step.empty() || run->document.opened->path == pending_->path)) {
    std::vector<std::string> notes;
    if (!pending_->step.empty()) (void)apply_cursor(state, *run, *pending_, notes);
    pending_.reset();
  }
  if (!begin_dialog("###course", state.show_course)) return;
  if (answers_.empty()) {
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
  {
    const WithFont face(fonts().title);
    ImGui::TextUnformatted(tr("course.title"));
  }
  const float width = std::min(px(kMostCourse), ImGui::GetIO().DisplaySize.x - px(90));
  if (chapter_.empty()) chapter_ = "000";
  ImGui::Dummy(ImVec2(width, px(2)));
  for (const char* chapter : {"000", "001", "002", "003", "004"}) {
    const Label key("course.chapter.", chapter);
    if (chip(Label(tr(key), "###chapter_", chapter), chapter_ == chapter)) chapter_ = chapter;
    ImGui::SameLine(0, px(6));
  }
  ImGui::NewLine();
  if (answers_.empty())
    dim_text(tr("frame.computing"));
  else
    draw_rows(state, width);
  draw_why(width);
  end_dialog("learn.course");
}

}  // namespace attnscope
