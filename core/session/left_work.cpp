// The documents that were open before: kept whole, so that undo, and the end of a lesson, lead back to
// them. Unsaved changes are the last to be dropped when there are more than kMostLeftWorks.
#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/session/session.h"

namespace attnscope {
namespace {

constexpr std::size_t kMostLeftWorks = 6;  // works that are kept to go back to
constexpr std::size_t kMostUnsaved = 24;   // of those with changes: their autosaves stay on the disk

// Drops the oldest without unsaved changes first.
void drop_oldest(std::vector<LeftWork>& works) {
  while (works.size() > kMostLeftWorks) {
    const auto plain =
        std::find_if(works.begin(), works.end(), [](const LeftWork& work) { return !work.unsaved(); });
    if (plain == works.end() && works.size() <= kMostUnsaved) return;
    works.erase(plain == works.end() ? works.begin() : plain);
  }
}

}  // namespace

LeftWork Session::leave() {
  LeftWork out;
  history_.close_gesture();
  out.number = work_;
  out.opened_version = opened_version_;
  out.kept_point = kept_point_;
  out.tried_point = tried_point_;
  out.history = history_;
  out.pinned = pinned_;
  out.stamps = stamps_;
  out.page = page_;
  out.from_lesson = from_lesson_;
  out.shows_training = shows_training_;
  out.wanted_step = wanted_step_;
  out.shown_step = shown_step_;
  if (const auto snapshot = training_.snapshot()) out.training_run = snapshot->run;
  out.copy = copy();
  if (keep_look_) out.look = keep_look_();
  return out;
}

// Puts what is open among the works before; `next` is opened in its place and has no number yet.
void Session::put_aside(OpenedAs next, bool keeps) {
  // The works after this one: those with unsaved changes stay reachable by undo.
  std::copy_if(std::make_move_iterator(after_.begin()), std::make_move_iterator(after_.end()),
               std::back_inserter(before_), [](const LeftWork& work) { return work.unsaved(); });
  after_.clear();
  const bool to_page = next == OpenedAs::page;
  const bool touched = history_.can_undo() || history_.can_redo() || unsaved();
  const bool kept = page_ ? !to_page && touched : to_page || touched || pinned_ || shows_training_ || keeps;
  if (document().opened && kept) before_.push_back(leave());
  drop_oldest(before_);
  page_ = from_lesson_ = to_page;
  if (to_page) pinned_.reset();
  work_ = ++last_work_;
}

void Session::enter(LeftWork work) {
  opening_.cancel();
  begin_opened();
  history_ = std::move(work.history);
  kept_point_ = work.kept_point;
  tried_point_ = work.tried_point;
  stamps_ = std::move(work.stamps);
  newer_file_.clear();
  page_ = work.page;
  from_lesson_ = work.from_lesson && page_;  // without its lesson it is a work like others
  work_ = work.number;
  ++opened_version_;
  pinned_ = std::move(work.pinned);
  if (pinned_ && pinned_->opened_version == work.opened_version) {  // of this model, under its new number
    auto same = std::make_shared<RunResult>(*pinned_);
    same->opened_version = opened_version_;
    pinned_ = std::move(same);
  }
  const auto snapshot = training_.snapshot();
  shows_training_ = work.shows_training && snapshot && snapshot->run == work.training_run;
  wanted_step_ = work.wanted_step;
  shown_step_ = work.shown_step;
  look_ = std::move(work.look);
  run();
}

void Session::go_back() {
  if (before_.empty()) return;
  LeftWork work = std::move(before_.back());
  before_.pop_back();
  if (!page_ || history_.can_undo()) after_.push_back(leave());
  enter(std::move(work));
}

void Session::go_forward() {
  if (after_.empty()) return;
  LeftWork work = std::move(after_.back());
  after_.pop_back();
  before_.push_back(leave());
  enter(std::move(work));
}

void Session::leave_page() {
  if (page_ && !before_.empty()) go_back();
  page_ = from_lesson_ = false;  // no lesson is around them any more
  for (auto* works : {&before_, &after_})
    for (LeftWork& work : *works) work.page = false;
}

}  // namespace attnscope
