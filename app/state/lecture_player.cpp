#include "app/state/lecture_player.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/state/frame_state.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/system/named_files.h"

namespace attnscope {
namespace {

constexpr std::size_t kMostLectureUndo = 200;
constexpr std::size_t kTitleLetters = 48;

// In the language of the moment where the text has one of its own for it, else for all languages.
void say(LocalText& text, const std::string& words) {
  (language() == "ko" && !text.ko.empty() && !text.en.empty() ? text.ko : text.en) = words;
}

// "Attention: The cat sat on the mat": which view of what.
std::string title_now(const FrameState& state) {
  const auto& sequences = state.session.document().sequences;
  const auto at = static_cast<std::size_t>(std::max(0, state.workspace.cursor.sequence));
  std::string text = at < sequences.size() ? sequences[at].text : std::string();
  if (text.empty() && at < sequences.size()) text = sequences[at].source_text;
  if (text.empty()) text = opened_title(*state.session.document().opened);
  return tr("lecture.slide.new", {tr("view." + state.workspace.view), printable(text, kTitleLetters)});
}

}  // namespace

std::string LecturePlayer::title() const {
  const std::string own = in_language(lecture_.title);
  return own.empty() ? tr("lecture.untitled") : own;
}

std::string LecturePlayer::slide_title(int index) const { return in_language(slide(index).title); }

// ---- the walk -------------------------------------------------------------------------------------

Status LecturePlayer::start(FrameState& state, const std::string& name, int slide) {
  const bool own = is_lecture_path(name), prefixed = name.starts_with(kLecturePrefix);
  std::error_code ignored;
  const std::string path = own ? std::filesystem::absolute(name, ignored).lexically_normal().string() : name;
  Result<Lecture> read =
      own ? read_lecture(path)
          : shipped_lecture(prefixed ? name.substr(std::string_view(kLecturePrefix).size()) : name);
  if (!read) return read.error();
  if (slide < 0 || slide >= static_cast<int>(read->slides.size()))
    return fail(Code::out_of_range, "error.session.lecture.no_slide", {slide + 1, read->slides.size()});
  take(state, *std::move(read));
  if (own) {
    file_ = path;
    if (!state.workspace.still) know_file(path);
    state.put_recent(path);
  }
  go(state, slide);
  return Done{};
}

void LecturePlayer::turn_pages(FrameState& state) {
  state.pages = [](FrameState& turned, int by) {  // at the end of the frame: the page is still being drawn
    const int last = static_cast<int>(turned.lecture.size()) - 1, to = turned.lecture.at() + by;
    turned.commands.act([&turned, slide = std::clamp(to, 0, std::max(0, last))](Session&) {
      if (slide != turned.lecture.at()) turned.lecture.go(turned, slide);
    });
  };
}

void LecturePlayer::go(FrameState& state, int slide) {
  if (slide < 0 || slide >= static_cast<int>(size())) return;
  state.lessons.drop(state);
  at_ = chosen = slide;
  turn_pages(state);
  trouble_.reset();
  settled_ = false;
  waits_ = true;
  asked_ = std::chrono::steady_clock::now();
  opened_before_ = state.session.opened_version();
  state.session.dismiss_error();
  const Result<SessionFile> file = slide_session(lecture_, static_cast<std::size_t>(slide));
  if (!file) return state.session.report(file.error());
  state.open_slide(*file);
}

// What could not be opened has an error, and the slide before is still open.
void LecturePlayer::follow(const FrameState& state) {
  const Session& session = state.session;
  const bool drawn = state.run && state.run->opened_version == session.opened_version();  // one frame ago
  if (settled_ && (drawn || session.error())) waits_ = false;
  if (!walking() || settled_) return;
  if (session.opened_version() != opened_before_) {
    settled_ = true;
    return;
  }
  if (session.opening() || session.has_news() || !session.error()) return;
  settled_ = true;
  trouble_ = session.error();
}

bool LecturePlayer::changing(const FrameState& state) const {
  constexpr std::chrono::milliseconds kMostWait{500};
  return walking() && waits_ && state.presenter.on && std::chrono::steady_clock::now() - asked_ < kMostWait;
}

void LecturePlayer::halt(FrameState& state) {
  if (!walking()) return;
  at_ = -1;
  trouble_.reset();
  settled_ = true;
  state.pages = {};
}

void LecturePlayer::end(FrameState& state) {
  if (!walking()) return;
  halt(state);
  state.commands.act([&state](Session&) { state.leave_lesson(); });
}

// ---- the list -------------------------------------------------------------------------------------

void LecturePlayer::remember(Gesture gesture, int slide) {
  ++version_;
  changed_ = true;
  changed_at_ = -1;
  const bool goes_on = gesture != Gesture::none && gesture == gesture_ && slide == gesture_slide_;
  gesture_ = gesture, gesture_slide_ = slide;
  if (goes_on) return;
  before_.push_back(lecture_);
  if (before_.size() > kMostLectureUndo) before_.erase(before_.begin());
}

Result<Slide> LecturePlayer::slide_now(FrameState& state) {
  Session& session = state.session;
  if (session.shows_training()) return fail(Code::unsupported, "error.app.slide_training");
  if (!session.document().opened) return fail(Code::not_found, "error.session.nothing_open");
  nlohmann::json look = state.look();
  look.erase("room");
  const auto pinned = session.pinned();
  TRY(nlohmann::json kept, session_to_json(session.document(), look, pinned ? &pinned->document : nullptr));
  return Slide{{title_now(state), {}}, {}, std::make_shared<const nlohmann::json>(std::move(kept))};
}

Status LecturePlayer::keep(FrameState& state) {
  TRY(Slide slide, slide_now(state));
  remember();
  const int place = walking() ? at_ + 1 : static_cast<int>(size());
  lecture_.slides.insert(lecture_.slides.begin() + place, std::move(slide));
  if (walking()) at_ = place;
  chosen = place;
  return Done{};
}

Status LecturePlayer::replace(FrameState& state, int slide) {
  TRY(Slide now, slide_now(state));
  remember();
  lecture_.slides[static_cast<std::size_t>(slide)].session = std::move(now.session);
  return Done{};
}

void LecturePlayer::rename(int slide, const std::string& title) {
  remember(Gesture::title, slide);
  say(lecture_.slides[static_cast<std::size_t>(slide)].title, title);
}

void LecturePlayer::note(int slide, const std::string& note) {
  remember(Gesture::note, slide);
  say(lecture_.slides[static_cast<std::size_t>(slide)].note, note);
}

void LecturePlayer::rename_lecture(const std::string& title) {
  remember(Gesture::lecture);
  say(lecture_.title, title);
}

void LecturePlayer::move(int slide, int by) {
  const int to = slide + by;
  if (std::min(slide, to) < 0 || std::max(slide, to) >= static_cast<int>(size())) return;
  remember();
  auto& slides = lecture_.slides;
  const Slide moved = slides[static_cast<std::size_t>(slide)];
  slides.erase(slides.begin() + slide);
  slides.insert(slides.begin() + to, moved);
  for (int* place : {&at_, &chosen}) {
    if (*place == slide)
      *place = to;
    else if (*place > slide && *place <= to)
      --*place;
    else if (*place < slide && *place >= to)
      ++*place;
  }
}

void LecturePlayer::remove(FrameState& state, int slide) {
  if (slide < 0 || slide >= static_cast<int>(size())) return;
  remember();
  lecture_.slides.erase(lecture_.slides.begin() + slide);
  const int last = static_cast<int>(size()) - 1;
  const bool shown = at_ == slide;
  if (at_ > slide) --at_;
  chosen = std::min(chosen > slide ? chosen - 1 : chosen, last);
  if (shown && last < 0) return end(state);
  if (shown) go(state, std::min(slide, last));
}

void LecturePlayer::undo(FrameState& state) {
  if (before_.empty()) return;
  const Lecture back = std::move(before_.back());
  before_.pop_back();
  lecture_ = back;
  gesture_ = Gesture::none;
  ++version_;
  changed_ = true;
  changed_at_ = -1;
  const int last = static_cast<int>(size()) - 1;
  at_ = std::min(at_, last);
  chosen = std::min(chosen, last);
  if (at_ < 0) halt(state);
}

void LecturePlayer::take(FrameState& state, Lecture lecture) {
  if (changed_ && !lecture_.slides.empty()) set_aside(state);
  const bool other = !lecture_.slides.empty() || walking();
  if (other) remember();
  halt(state);
  lecture_ = std::move(lecture);
  chosen = -1;
  file_.clear();
  ++version_;
  changed_ = false;
  changed_at_ = -1;
}

Status LecturePlayer::save(const std::string& path) {
  TRY_OK(write_lecture(path, lecture_));
  know_file(path);
  lecture_.path = file_ = path;
  changed_ = false;
  ++version_;
  return Done{};
}

}  // namespace attnscope
