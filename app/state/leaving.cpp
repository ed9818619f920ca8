#include "app/state/leaving.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/state/autosave.h"
#include "app/state/frame_state.h"
#include "app/state/kept_sessions.h"
#include "core/base/text.h"
#include "core/system/places.h"

namespace attnscope {
namespace {

std::ptrdiff_t worth_keeping(const std::vector<LeftWork>& works) {
  return std::count_if(works.begin(), works.end(), [](const LeftWork& work) { return work.worth_keeping(); });
}

// What was made and lies under what is open, where that is nothing to keep; or null.
const LeftWork* made_under(const Session& session) {
  if (session.worth_keeping()) return nullptr;
  const auto& works = session.before();
  const auto found =
      std::find_if(works.rbegin(), works.rend(), [](const LeftWork& work) { return work.worth_keeping(); });
  return found == works.rend() ? nullptr : &*found;
}

// Where one looked in what was gone back to is known once it has run, or failed to.
bool open_and_looked_at(const Session& session) {
  const auto run = session.result();
  const bool here = run && run->opened_version == session.opened_version();
  return here || (!session.opening() && !session.running() && !session.has_news());
}

void take_answer(FrameState& state, void (*answer)(FrameState&)) {
  state.leave.asked = false;
  Session& session = state.session;
  if (made_under(session) == nullptr) return answer(state);
  if (state.lessons.open()) state.lessons.close(state);
  state.lecture.halt(state);
  state.commands.carry_out(session);
  while (made_under(session) != nullptr) session.go_back();
  state.leave.answer = answer;
}

// Keeps a work that was closed: renames its autosave if that is complete, else writes a new file.
Status keep_left(FrameState& state, const LeftWork& left) {
  const std::string autosave = autosave_path(left.number), path = new_kept_path(state.left_name(left));
  if (path.empty()) return fail(Code::io_failed, "error.app.no_config_folder");
  const bool whole = state.autosaved[left.number] == left.history.version();
  if (whole && move_session(autosave, path)) return Done{};
  return write_session(path, left.copy, state.look_left(left));
}

// Works dropped from memory for lack of room exist only as autosaves: keeps those.
void keep_dropped(const FrameState& state) {
  const Session& session = state.session;
  const auto known = [&](std::uint64_t number) {
    const auto is = [number](const LeftWork& work) { return work.number == number; };
    return number == session.work() || std::any_of(session.before().begin(), session.before().end(), is) ||
           std::any_of(session.after().begin(), session.after().end(), is);
  };
  for (const auto& [number, version] : state.autosaved)
    if (version != 0 && !known(number)) (void)move_session(autosave_path(number), new_kept_path("earlier"));
}

// Writes to another folder when the config folder cannot be written.
Status keep_open(FrameState& state) {
  const Status kept = state.keep_for_next_start();
  if (kept) return kept;
  const auto written = rescued("session", [&](const std::string& folder) {
    return state.save_session_to(folder + "/session" + kSessionEnding);
  });
  return written ? kept.error().advising(Text::of("error.app.session_rescued", {*written})) : kept.error();
}

}  // namespace

bool may_leave(FrameState& state) {
  Leaving& leave = state.leave;
  if (leave.decided) return true;
  if (leave.answer) return false;
  if (leave.asked) {
    leave_and_keep(state);
    return leave.decided;
  }
  leave.ask = state.session.worth_keeping() || made_under(state.session) != nullptr;
  return !leave.ask;
}

std::shared_ptr<const OpenedModel> asked_about(const FrameState& state) {
  const LeftWork* under = made_under(state.session);
  return under != nullptr ? under->history.now().opened : state.session.document().opened;
}

int others_set_aside(const FrameState& state) {
  const Session& session = state.session;
  const auto all = worth_keeping(session.before()) + worth_keeping(session.after());
  return static_cast<int>(all) - (made_under(session) != nullptr ? 1 : 0);
}

void follow_leaving(FrameState& state) {
  if (state.leave.answer && open_and_looked_at(state.session))
    std::exchange(state.leave.answer, nullptr)(state);
}

void leave_and_save(FrameState& state) {
  take_answer(state, [](FrameState& now) {
    const auto save = [&now](const std::string& path) { now.leave.decided = now.save_as(path); };
    if (const std::string path = now.own_path(); !path.empty()) return save(path);
    now.browse = BrowseRequest{true, "browser.title_save", now.save_name(), save};
  });
}

void leave_and_keep(FrameState& state) {
  take_answer(state, [](FrameState& now) {
    const Status kept = now.keep_for_next_start();
    now.leave.decided = kept.ok();
    if (!kept) now.session.report(kept.error());
  });
}

void leave_and_discard(FrameState& state) {
  take_answer(state, [](FrameState& now) { now.leave.decided = now.leave.discarded = true; });
}

void leave_not(FrameState& state) { state.leave.asked = false; }

Status keep_works(FrameState& state, bool asked) {
  Session& session = state.session;
  Autosave::finish(state);
  Status done = Done{};
  const auto note = [&](const Status& kept) {
    if (!kept && done) done = kept;
  };
  // A training run alone does not open the dialog, but is kept all the same.
  const bool changed = session.worth_keeping(), trains = session.shows_training();
  const bool open = asked ? trains && !changed && !state.leave.discarded && state.own_path().empty()
                          : trains || (changed && !state.kept_now());
  if (open) note(keep_open(state));
  for (const auto* works : {&session.before(), &session.after()})
    for (const LeftWork& left : *works)
      if (left.worth_keeping()) note(keep_left(state, left));
  keep_dropped(state);
  if (state.leave.discarded) state.discard_open();
  state.settle_last_session();
  note(state.lecture.keep_now());
  if (done) remove_autosaves();  // on errors the autosaves are the only copies
  return done;
}

}  // namespace attnscope
