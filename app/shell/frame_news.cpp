// Frame: what has come since the frame before, and what goes on by itself.
#include <algorithm>
#include <utility>

#include "app/shell/frame.h"
#include "app/state/cursor.h"
#include "app/widgets/navigation.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr double kStationSeconds = 5;  // at speed 1

}  // namespace

// Warns if the model of a session's pinned run has changed since it was saved.
void Frame::note_pinned() {
  const auto pinned = state_.session.pinned();
  if (std::exchange(seen_pinned_, pinned) == pinned || !pinned || !pinned->document.opened) return;
  if (pinned->document.opened == state_.session.document().opened) return;
  for (const Text& warning : pinned->document.opened->warnings)
    if (warning.key().starts_with("note.session.")) state_.notify(Notice::Kind::warning, warning, {}, 0);
}

void Frame::take_news() {
  state_.session.poll();
  run_ = state_.session.result();
  before_ = state_.session.against();
  note_pinned();
  if (seen_opened_ != state_.session.opened_version()) {
    seen_opened_ = state_.session.opened_version();
    fresh_ = true;
    state_.workspace.playing = false;
    state_.workspace.asking.forget();
    state_.notices.clear();
    state_.remember_opened();
    if (const auto& opened = state_.session.document().opened) {
      again_ = !state_.lessons.open() && !state_.lecture.walking() && !opened->path.empty() &&
               opened->path == seen_path_;  // same model: the cursor stays where it was
      seen_path_ = opened->path;
      for (const Text& warning : opened->warnings) state_.notify(Notice::Kind::warning, warning, {}, 0);
      for (const Text& note : opened->notes) state_.notify(Notice::Kind::info, note, {}, 0);
    }
  }
  state_.lecture.follow(state_);
  state_.lessons.note_unopened(state_.session);
  if (!run_) return;
  if (fresh_) {
    const Site wanted = state_.workspace.cursor.step;
    const bool there = step_index(run_->steps, wanted) >= 0;
    if (!again_ || !there) state_.workspace.cursor = first_cursor(*run_);
    if (wanted.layer >= 0 && there) {  // the same step of another model
      state_.workspace.cursor.step = wanted;
      state_.workspace.cursor.stack = wanted.stack;
      state_.workspace.cursor.layer = wanted.layer;
    }
    state_.take_session_cursor(*run_);
    fresh_ = false;
  }
  anchor_.follow(state_.workspace.cursor, run_);
  tidy_cursor(state_.workspace.cursor, *run_);
  anchor_.settle(state_.workspace.cursor);
  state_.lessons.follow(state_, run_);
}

// Reports errors in reading or writing the progress file.
void Frame::tell_progress() {
  if (const auto why = state_.lessons.take_unkept())
    state_.notify(Notice::Kind::warning, why->sentence(), tr("lessons.progress.unkept"), 0);
}

// Backward mode: requests the gradients of the newest run, and steps through them in reverse order.
void Frame::follow_backward() {
  Workspace& workspace = state_.workspace;
  walked_ = run_;
  const bool entered = workspace.backward && !was_backward_;
  was_backward_ = workspace.backward;
  if (state_.session.mixed()) workspace.backward_run.cancel();
  if (!workspace.backward || !run_) return;
  if (entered) {
    arriving_ = true;
    // Only the steps view shows gradients.
    if (workspace.view != "steps" && workspace.second_view != "steps") workspace.view = "steps";
  }
  workspace.backward_run.follow(state_.session.workers(), run_, workspace.cursor.sequence,
                                {workspace.backward_rows, workspace.backward_target});
  const auto grads = workspace.backward_run.newest();
  if (!grads || !grads->walk) return;
  walked_ = grads->walk;
  const bool lost = step_index(walked_->steps, workspace.cursor.step) < 0;
  const bool unmoved = current_step(workspace, *run_) == 0;  // if at the first step: start at the loss
  if (arriving_ && (lost || unmoved)) go_to_step(workspace, *walked_, 0);
  arriving_ = false;
}

void Frame::play() {
  Workspace& workspace = state_.workspace;
  if (!workspace.playing || !walked_) {
    played_ = 0;
    return;
  }
  played_ += static_cast<double>(ImGui::GetIO().DeltaTime) * static_cast<double>(workspace.speed);
  if (played_ < (state_.film ? kStationSeconds : 1.0)) return;
  played_ = 0;
  if (!(state_.film ? state_.film(state_, 1) : walk(workspace, *walked_, 1))) workspace.playing = false;
}

bool Frame::moving() const {
  const bool notice_ends = std::any_of(state_.notices.begin(), state_.notices.end(),
                                       [](const Notice& notice) { return notice.seconds_left > 0; });
  return state_.workspace.playing || state_.workspace.moving || state_.session.running() ||
         state_.session.opening() || state_.session.generating() || notice_ends;
}

}  // namespace attnscope
