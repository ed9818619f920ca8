// What changed? of the easy window: the run to compare with, the button, and the rows that changed.
#include <algorithm>

#include "app/look/scopes.h"
#include "app/shell/easy_window.h"
#include "app/state/actions.h"
#include "app/state/controls.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

std::uint64_t easy_number(std::int64_t value) { return static_cast<std::uint64_t>(value); }

}  // namespace

// A of what changed: the pinned run, else the same input without edits, else the run before the last change;
// in a lesson, the page as it was opened.
void EasyWindow::compare_with(FrameState& state, const RunResult& run) {
  view_.compare = state.workspace.show_difference;
  view_.before = unedited_.of(state.session, run, state.workspace.cursor.sequence);
  view_.opened_before = nullptr;
  const std::shared_ptr<const RunResult> pinned = state.session.pinned();
  const bool page = state.lessons.open() && state.lessons.ready();
  const auto earlier = page ? state.lessons.first_run() : state.session.previous();
  other_ = pinned ? pinned : view_.before || earlier.get() == &run ? nullptr : earlier;
  if (!other_) return;
  const std::shared_ptr<const Trace>& trace = other_->shared(state.workspace.cursor.sequence);
  // Beside the answer of now stands the one of before where both are of the same row.
  const bool same_rows = other_->document.opened == run.document.opened && trace->length == view_.run->length;
  if (!view_.compare && !same_rows) return;
  view_.before = trace;
  view_.opened_before = other_->document.opened.get();
}

// A, B and the difference, where there are two runs and the view shows a matrix.
void EasyWindow::draw_compare(FrameState& state, float right, float y) {
  const ViewSpec* now = chosen(state);
  if (!now || !comparable_ || !(view_.before || other_)) return;
  const std::string& shown = tr("easy.compare");
  const float left = right - button_width(shown);
  ImGui::SetCursorScreenPos(ImVec2(left, y + px(5)));
  if (raised_button({shown, "###compare"}, state.workspace.show_difference))
    perform(state, "compare.difference");
  compat::item_tooltip(tr("easy.compare.help"));
  const bool here = changes_.size() == 1 && changes_.front().row == view_.row;  // nowhere to go
  if (view_.compare && !changes_.empty() && !here) draw_changes(state, left - px(8), y);
}

// "2 of 9" between two arrows: the rows that changed, the largest difference first.
void EasyWindow::draw_changes(FrameState& state, float right, float y) {
  const auto count = std::ssize(changes_);
  const auto found = std::find_if(changes_.begin(), changes_.end(),
                                  [&](const RowChange& one) { return one.row == view_.row; });
  const std::ptrdiff_t at = found == changes_.end() ? -1 : found - changes_.begin();
  const std::string& shown = change_.get({easy_number(at), easy_number(count), key_of(language())}, [&] {
    return at < 0 ? tr("easy.changes.none", {std::to_string(count)})
                  : tr("easy.changes", {std::to_string(at + 1), std::to_string(count)});
  });
  const float arrow = button_width("\u25b8"), width = ImGui::CalcTextSize(shown.c_str()).x + px(12);
  const float left = right - 2 * arrow - width;
  const auto go = [&](std::ptrdiff_t to) {
    state.workspace.cursor.query = changes_[static_cast<std::size_t>(to)].row;
  };
  ImGui::SetCursorScreenPos(ImVec2(left, y + px(5)));
  {
    const DisabledScope first(at <= 0);
    if (raised_button("\u25c2###change_before")) go(at - 1);
  }
  compat::item_tooltip(tr("easy.changes.before"));
  ImGui::SetCursorScreenPos(ImVec2(left + arrow + px(6), y + px(5)));
  ImGui::AlignTextToFramePadding();
  dim_text(shown);
  ImGui::SetCursorScreenPos(ImVec2(right - arrow, y + px(5)));
  {
    const DisabledScope last(at + 1 >= count);
    if (raised_button("\u25b8###change_next")) go(at + 1);
  }
  compat::item_tooltip(tr("easy.changes.next"));
}

}  // namespace attnscope
