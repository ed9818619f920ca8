#include "app/state/autosave.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>

#include "app/state/session_look.h"
#include "core/base/text.h"
#include "core/session/session_file.h"
#include "core/system/atomic_file.h"
#include "core/system/places.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr double kEvery = 5;  // seconds
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

void move_with_arrays(const std::string& from, const std::string& to) {
  std::error_code ignored;
  fs::rename(from, to, ignored);
  fs::rename(from + ".safetensors", to + ".safetensors", ignored);
}

}  // namespace

void Autosave::follow(FrameState& state) {
  const Session& session = state.session;
  const double now = ImGui::GetTime();
  if (session.opened_version() != opened_) {
    opened_ = session.opened_version();
    point_ = session.history().point();
  }
  const std::uint64_t point = session.history().point();
  if (now - last_ < kEvery || point == point_ || !session.document().opened || !session.history().can_undo())
    return;
  last_ = now;
  point_ = point;
  const std::string path = own_path();
  if (path.empty()) return;
  state.session.jobs().submit("autosave", [path, document = session.document(), pinned = session.pinned(),
                                           look = look_of(state.workspace)](const std::atomic<bool>&) {
    if (make_folder(config_folder()))
      (void)save_session(path, document, look, pinned ? &pinned->document : nullptr);
  });
}

void Autosave::remove() {
  std::error_code ignored;
  const std::string path = own_path();
  if (path.empty()) return;
  fs::remove(path, ignored);
  fs::remove(path + ".safetensors", ignored);
}

std::string Autosave::left_behind() {
  std::error_code error;
  std::string newest;
  fs::file_time_type time = fs::file_time_type::min();
  for (const auto& entry : fs::directory_iterator(config_folder(), error)) {
    const pid_t owner = owner_of(entry.path().filename().string());
    if (owner == 0 || owner == ::getpid() || ::kill(owner, 0) == 0 || errno != ESRCH) continue;
    std::error_code ignored;
    const fs::file_time_type written = entry.last_write_time(ignored);
    if (written < time) continue;
    time = written;
    newest = entry.path().string();
  }
  if (newest.empty()) return newest;
  const std::string to = config_folder() + "/recovered" + kSessionEnding;
  move_with_arrays(newest, to);
  return to;
}

}  // namespace attnscope
