#include "app/state/autosave.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/state/kept_sessions.h"
#include "core/base/text.h"
#include "core/session/session_file.h"
#include "core/system/atomic_file.h"
#include "core/system/places.h"

namespace attnscope {
namespace {

// Seconds between writes, of edits and of a training run; and how long a session waits for its checkpoint.
// Together they are below the five that a power cut may take.
constexpr double kEvery = 2.5, kTraining = 2.5, kRunFirst = 1.5;

Status write_autosave(const std::string& path, const SessionCopy& copy, const nlohmann::json& look) {
  if (path.empty()) return fail(Code::io_failed, "error.app.no_config_folder");
  TRY_OK(make_folder(config_folder()));
  return write_session(path, copy, look);
}

}  // namespace

void Autosave::take_written(FrameState& state) {
  const auto written = state.autosaving.take();
  if (!written) return;
  if (std::exchange(state.autosave_gone, 0) == writing_work_ && writing_work_ > 0) {
    remove_session(autosave_path(writing_work_));  // it was saved meanwhile
  } else if (*written) {
    state.autosaved[writing_work_] = writing_version_;
    told_ = false;
  } else if (!std::exchange(told_, true)) {
    state.notify(Notice::Kind::warning, Text::of("autosave.failed", {written->error().whole()}),
                 Text::of("autosave.failed.hint"), 0);
  }
}

// The checkpoint beside it, which the run's own thread writes.
void Autosave::take_run_written(FrameState& state) {
  const auto written = state.session.training().take_written_later();
  if (!written) return;
  run_comes_ = false, run_failed_ = !*written;
  if (*written) {
    told_run_ = false;
    return;
  }
  step_ = -1;  // it is tried again
  if (!std::exchange(told_run_, true))
    state.notify(Notice::Kind::warning, Text::of("autosave.failed.run", {written->error().whole()}),
                 Text::of("autosave.failed.hint"), 0);
}

void Autosave::write_run(Session& session, std::uint64_t work) {
  const std::string path = autosave_path(work);
  if (path.empty()) return;  // write() says it
  (void)make_folder(config_folder());
  session.training().write_later(path + kRunEnding);
  run_comes_ = true, run_failed_ = false;
}

// The checkpoint is on the disk before the session that goes on from it, unless its step takes long.
bool Autosave::run_is_first(Session& session, std::uint64_t work, double now) {
  if (run_asked_ < 0) {
    run_asked_ = now;
    write_run(session, work);
  }
  if (run_comes_ && now - run_asked_ < kRunFirst) return false;
  run_asked_ = -1;
  return true;
}

void Autosave::write(FrameState& state, std::uint64_t work, std::uint64_t version, SessionCopy copy,
                     nlohmann::json look) {
  last_ = ImGui::GetTime();
  writing_work_ = work;
  writing_version_ = version;
  state.autosaving.begin(state.session.workers(),
                         [path = autosave_path(work), copy = std::move(copy), look = std::move(look)] {
                           return write_autosave(path, copy, look);
                         });
}

// Works that were closed with changes not yet autosaved; written at once, as they cannot change any more.
bool Autosave::follow_left(FrameState& state) {
  for (const auto* works : {&state.session.before(), &state.session.after()})
    for (const LeftWork& left : *works) {
      const std::uint64_t version = left.history.version();
      if (!left.worth_keeping() || state.autosaved[left.number] == version) continue;
      if (told_ && ImGui::GetTime() - last_ < kEvery) return true;
      write(state, left.number, version, left.copy, state.look_left(left));
      return true;
    }
  return false;
}

void Autosave::follow_current(FrameState& state, double now) {
  Session& session = state.session;
  const std::uint64_t version = session.history().version(), work = session.work();
  const int step = session.shown_training_step();
  const bool edited = session.worth_keeping() && state.autosaved[work] != version;
  const bool trained = step > 0 && step != step_;
  waiting_ = session.document().opened && (edited || trained);
  if (!waiting_ || (edited ? now - last_ < kEvery : now - std::max(last_, 0.0) < kTraining)) return;
  if (session.shows_training() && !run_is_first(session, work, now)) return;
  waiting_ = false;
  step_ = run_failed_ ? -1 : step;
  write(state, work, version, session.copy(), state.look_to_keep());
}

void Autosave::follow(FrameState& state) {
  take_written(state);
  take_run_written(state);
  const bool slides = state.lecture.follow_keeping(state, ImGui::GetTime());
  waiting_ = state.autosaving.waits();
  if (waiting_) return;
  if (follow_left(state))
    waiting_ = true;
  else
    follow_current(state, ImGui::GetTime());
  waiting_ = waiting_ || state.autosaving.waits() || slides;
}

void Autosave::finish(const FrameState& state) {
  for (int i = 0; i < 200 && state.autosaving.under_way(); ++i)  // it would write behind
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

}  // namespace attnscope
