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

bool any_worth_keeping(const std::vector<LeftWork>& works) {
  return std::any_of(works.begin(), works.end(), [](const LeftWork& work) { return work.worth_keeping(); });
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
  Error error = kept.error();
  error.advice = written ? Text::of("error.app.session_rescued", {*written}) : error.advice;
  return error;
}

}  // namespace

bool may_leave(FrameState& state) {
  Leaving& leave = state.leave;
  if (leave.decided) return true;
  if (leave.asked) {
    leave_and_keep(state);
    return leave.decided;
  }
  Session& session = state.session;
  // Unsaved changes may be in a work below a lesson or another model: goes back to it for the dialog.
  if (!session.worth_keeping() && any_worth_keeping(session.before())) {
    if (state.lessons.open()) state.lessons.close(state);
    state.commands.carry_out(session);
    while (!session.worth_keeping() && any_worth_keeping(session.before())) session.go_back();
  }
  leave.ask = session.worth_keeping();
  return !leave.ask;
}

void leave_and_save(FrameState& state) {
  state.leave.asked = false;
  const auto save = [&state](const std::string& path) { state.leave.decided = state.save_as(path); };
  if (const std::string path = state.own_path(); !path.empty()) return save(path);
  state.browse = BrowseRequest{true, "browser.title_save", state.save_name(), save};
}

void leave_and_keep(FrameState& state) {
  state.leave.asked = false;
  const Status kept = state.keep_for_next_start();
  state.leave.decided = kept.ok();
  if (!kept) state.session.report(kept.error());
}

void leave_and_discard(FrameState& state) {
  state.leave.asked = false;
  state.leave.decided = state.leave.discarded = true;
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
  if (done) remove_autosaves();  // on errors the autosaves are the only copies
  return done;
}

}  // namespace attnscope
