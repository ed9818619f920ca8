#include "app/state/autosave.h"

#include <unistd.h>

#include <charconv>
#include <chrono>
#include <filesystem>
#include <thread>

#include "app/state/session_look.h"
#include "core/base/text.h"
#include "core/session/session_file.h"
#include "core/system/atomic_file.h"
#include "core/system/places.h"
#include "core/system/process.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr double kEvery = 5, kTraining = 10;  // seconds, of edits and of a run that goes on
constexpr std::string_view kBegin = "autosave-";

std::string own_path() {
  const std::string folder = config_folder();
  return folder.empty() ? folder
                        : folder + "/" + std::string(kBegin) + std::to_string(::getpid()) + kSessionEnding;
}

// The process that writes such a file; 0: another file.
pid_t owner_of(const std::string& name) {
  pid_t pid = 0;
  if (!name.starts_with(kBegin) || !is_session_path(name)) return 0;
  const char* begin = name.data() + kBegin.size();
  const auto [end, error] = std::from_chars(begin, name.data() + name.size(), pid);
  return error == std::errc() && std::string_view(end) == kSessionEnding && pid > 0 ? pid : 0;
}

// A session and all that lies beside it.
std::vector<std::string> autosave_files_of(const std::string& path) {
  std::vector<std::string> out = beside_session(path);
  out.push_back(path);
  return out;
}

void remove_session(const std::string& path) {
  std::error_code ignored;
  for (const std::string& file : autosave_files_of(path)) fs::remove_all(file, ignored);
}

void move_session(const std::string& from, const std::string& to) {
  std::error_code ignored;
  const std::vector<std::string> before = autosave_files_of(from), after = autosave_files_of(to);
  for (std::size_t i = 0; i < before.size(); ++i) fs::rename(before[i], after[i], ignored);
}

}  // namespace

void Autosave::follow(FrameState& state) {
  Session& session = state.session;
  const double now = ImGui::GetTime();
  if (session.opened_version() != opened_) {
    opened_ = session.opened_version();
    point_ = session.history().point();
  }
  const std::uint64_t point = session.history().point();
  const int step = session.shown_training_step();
  const bool edited = point != point_ && session.unsaved(), trained = step > 0 && step != step_;
  waiting_ = session.document().opened && (edited || trained);
  if (!waiting_ || now - last_ < (edited ? kEvery : kTraining) || session.jobs().busy("autosave")) return;
  last_ = now;
  point_ = point;
  step_ = step;
  waiting_ = false;
  const std::string path = own_path();
  if (path.empty() || !make_folder(config_folder())) return;
  session.save_later(path, state.look());
}

void Autosave::remove(const Jobs& jobs) {
  for (int i = 0; i < 200 && jobs.busy("autosave"); ++i)  // it would write behind
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  if (const std::string path = own_path(); !path.empty()) remove_session(path);
}

std::string Autosave::left_behind() {
  std::error_code error;
  std::string newest;
  fs::file_time_type time = fs::file_time_type::min();
  for (const auto& entry : fs::directory_iterator(config_folder(), error)) {
    const pid_t owner = owner_of(entry.path().filename().string());
    if (owner == 0 || owner == ::getpid() || process_runs(owner)) continue;
    std::error_code ignored;
    const fs::file_time_type written = entry.last_write_time(ignored);
    if (written < time) continue;
    time = written;
    newest = entry.path().string();
  }
  if (newest.empty()) return newest;
  const std::string to = config_folder() + "/recovered" + kSessionEnding;
  remove_session(to);
  move_session(newest, to);
  return to;
}

}  // namespace attnscope
