// The window's part of works that were closed (left) but can be gone back to: their views and cursor, files
// and titles; and keeping them when the program exits.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/state/frame_state.h"
#include "app/state/kept_sessions.h"
#include "app/state/session_look.h"
#include "core/base/text.h"
#include "core/system/atomic_file.h"
#include "core/system/places.h"

namespace attnscope {
namespace {

constexpr double kToldSeconds = 14;

std::string opened_name(const OpenedModel& opened) {
  const std::string name = std::filesystem::path(file_name(opened.path)).stem().string();
  return name.substr(name.find(':') + 1);
}

// The document is stored in the folder beside this session file.
bool lies_beside(const std::shared_ptr<const OpenedModel>& opened, const std::string& session) {
  return opened && starts_with(opened->path, session);
}

}  // namespace

// Saves views and cursor now: opening changes them before the new document is there.
void FrameState::note_leaving() {
  page_look_.reset();
  asked_slide_.reset();
  if (!session.opening()) leaving_look_ = look();
}

nlohmann::json FrameState::look_left(const LeftWork& left) const {
  return left.look && left.look->contains("look") ? (*left.look)["look"] : nlohmann::json::object();
}

std::string FrameState::left_name(const LeftWork& left) const {
  const auto& opened = left.history.now().opened;
  return opened ? opened_name(*opened) : std::string();
}

// Restores the files, views and cursor of the work that was gone back to.
void FrameState::take_left(const nlohmann::json& left) {
  asked_path_.clear();
  asked_session_.reset();
  asked_slide_.reset();
  page_look_.reset();
  leaving_look_.reset();
  session_path_ = left.value("session", "");
  kept_path_ = left.value("kept", "");
  kept_version_ = 0;
  look_ = left.value("look", nlohmann::json::object());
  look_file_.reset();
  take_look(*look_, workspace);
  if (session.shows_training()) notify(Notice::Kind::info, Text::of("works.back.training"), {}, kToldSeconds);
}

// Notice that the previous work, or its paused training, is still there; also when a model is opened again.
void FrameState::tell_left() {
  const auto& before = session.before();
  const auto& opened = session.document().opened;
  if (before.empty() || !opened) return;
  const LeftWork& left = before.back();
  const bool now = left.opened_version + 1 == session.opened_version();
  const bool again = left.history.now().opened->path == opened->path;
  if (!now && !again) return;
  const std::string title = opened_title(*left.history.now().opened);
  if (now && left.shows_training)
    notify(Notice::Kind::info, Text::of("works.left.training", {title}), {}, kToldSeconds);
  else if (left.worth_keeping() && !lessons.open())
    notify(Notice::Kind::info, Text::of("works.left", {title}), {}, kToldSeconds);
}

void FrameState::leave_lesson() {
  if (session.opening()) session.cancel_opening();
  if (session.shows_page()) return session.leave_page();
  if (!leaving_look_ || !run) return;  // its page was not opened yet: restore views and cursor
  look_ = std::exchange(leaving_look_, {});
  asked_slide_.reset();
  page_look_.reset();
  take_look(*look_, workspace);
  take_session_cursor(*run);
}

bool FrameState::kept_now() const {
  return !kept_path_.empty() && kept_version_ == session.history().version();
}

Status FrameState::keep_for_next_start() {
  const auto& opened = session.document().opened;
  if (!opened) return Done{};
  const std::string path = new_kept_path(opened_name(*opened));
  if (path.empty()) return fail(Code::io_failed, "error.app.no_config_folder");
  TRY_OK(make_folder(config_folder()));
  if (const Status kept = save_session_to(path); !kept) {
    remove_session(path);
    return kept;
  }
  drop_kept(path);
  kept_version_ = session.history().version();
  return Done{};
}

// Deletes the kept file that the document came from, now outdated, unless weights are still read from files
// beside it.
void FrameState::drop_kept(const std::string& instead) {
  const std::string old = std::exchange(kept_path_, instead);
  const auto& pinned = session.pinned();
  const bool used =
      lies_beside(session.document().opened, old) || (pinned && lies_beside(pinned->document.opened, old));
  if (!old.empty() && old != instead && !used) remove_session(old);
}

void FrameState::discard_open() {
  remove_session(autosave_path(session.work()));
  if (!kept_path_.empty()) remove_session(std::exchange(kept_path_, {}));
}

void FrameState::settle_last_session() {
  const bool scene = session.history().can_undo() && !session.shows_page();
  if (const std::string path = scene ? own_path() : session_path_; !path.empty()) settings.unsaved = path;
}

}  // namespace attnscope
