#include "app/state/kept_sessions.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <filesystem>

#include "core/base/text.h"
#include "core/io/local_time.h"
#include "core/session/lecture.h"
#include "core/session/session_file.h"
#include "core/session/session_parts.h"
#include "core/system/atomic_file.h"
#include "core/system/places.h"
#include "core/system/process.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAutosave = "autosave-";
constexpr std::array<std::string_view, 3> kKept = {"kept-", "recovered",
                                                   "unsaved-"};  // with the names of earlier versions
constexpr std::string_view kLeftLecture = "left-slides-";
constexpr std::size_t kTitleBytes = 60;
constexpr std::size_t kNewestKept = 20;
constexpr std::chrono::hours kKeptFor{24 * 30};

std::string in_config_folder(const std::string& name) {
  const std::string folder = config_folder();
  return folder.empty() ? folder : folder + "/" + name;
}

// Process id in an autosave's name, "autosave-12-3.attnscope"; 0: another file.
pid_t owner_of(const std::string& name) {
  pid_t pid = 0;
  if (!name.starts_with(kAutosave) || !is_session_path(name)) return 0;
  const auto [end, error] = std::from_chars(name.data() + kAutosave.size(), name.data() + name.size(), pid);
  return error == std::errc() && (*end == '-' || *end == '.') && pid > 0 ? pid : 0;
}

// True if that process runs and, as far as /proc shows, is this program: process ids are reused.
bool keeps_it(pid_t owner) {
  if (!process_runs(owner)) return false;
  std::error_code error;
  const fs::path its = fs::read_symlink("/proc/" + std::to_string(owner) + "/exe", error);
  if (error) return true;
  const fs::path own = fs::read_symlink("/proc/self/exe", error);
  return error || its.filename() == own.filename();
}

// Letters and digits of a title; runs of other characters become one "-".
std::string plain_name(const std::string& title) {
  std::string out;
  for (const char sign : title) {
    const bool plain = (sign >= 'a' && sign <= 'z') || (sign >= 'A' && sign <= 'Z') ||
                       (sign >= '0' && sign <= '9') || sign == '.' || sign == '_';
    if (out.size() < kTitleBytes && (plain || (!out.empty() && out.back() != '-'))) out += plain ? sign : '-';
  }
  return out.empty() ? "session" : out;
}

fs::file_time_type written_at(const std::string& path) {
  std::error_code error;
  const auto time = fs::last_write_time(path, error);
  return error ? fs::file_time_type::min() : time;
}

std::vector<std::string> files_there(std::vector<std::string> paths) {
  std::error_code ignored;
  std::erase_if(paths, [&](const std::string& path) { return !fs::exists(path, ignored); });
  return paths;
}

void sort_newest_first(std::vector<std::string>& paths) {
  std::sort(paths.begin(), paths.end(), [](const std::string& a, const std::string& b) {
    return std::pair(written_at(a), a) > std::pair(written_at(b), b);
  });
}

template <class Fits>
std::vector<std::string> names_in_config(Fits fits) {
  std::error_code error;
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(config_folder(), error))
    if (std::string name = entry.path().filename().string(); fits(name)) out.push_back(std::move(name));
  return out;
}

// An unused name in the config folder: begin, the time, ending. Empty without that folder.
std::string new_path(const std::string& name, const char* ending) {
  std::string when = local_time(fs::file_time_type::clock::now());  // "2026-01-31 17:05"
  std::replace(when.begin(), when.end(), ' ', '-');
  std::erase(when, ':');
  const std::string begin = in_config_folder(name + "-" + when);
  if (config_folder().empty()) return {};
  std::string path = begin + ending;
  std::error_code ignored;
  for (int i = 2; fs::exists(path, ignored) && i < 1000; ++i) path = begin + "-" + std::to_string(i) + ending;
  return path;
}

}  // namespace

std::string autosave_path(std::uint64_t work) {
  return in_config_folder(std::string(kAutosave) + std::to_string(::getpid()) + "-" + std::to_string(work) +
                          kSessionEnding);
}

std::string new_kept_path(const std::string& title) {
  return new_path(std::string(kKept.front()) + plain_name(title), kSessionEnding);
}

std::string lecture_path() { return in_config_folder(std::string("slides") + kLectureEnding); }

std::string new_lecture_path(const std::string& title) {
  return new_path(std::string(kLeftLecture) + plain_name(title), kLectureEnding);
}

std::vector<std::string> left_lectures() {
  std::vector<std::string> out;
  for (const std::string& name : names_in_config(
           [](const std::string& one) { return one.starts_with(kLeftLecture) && is_lecture_path(one); }))
    out.push_back(in_config_folder(name));
  sort_newest_first(out);
  return out;
}

bool is_kept_session(const std::string& path) {
  const fs::path whole(path);
  const std::string name = whole.filename().string();
  return whole.parent_path() == fs::path(config_folder()) && is_session_path(name) &&
         std::any_of(kKept.begin(), kKept.end(),
                     [&](std::string_view kept) { return name.starts_with(kept); });
}

// The session before its files: it is never there without them.
void remove_session(const std::string& path) {
  std::error_code ignored;
  const std::vector<std::string> beside = files_there(beside_session(path));
  const bool removed = fs::remove(path, ignored);
  if (removed && !beside.empty()) flush_folder(fs::path(path).parent_path().string());
  for (const std::string& file : beside) fs::remove_all(file, ignored);
}

// With its files inside, one name; those that are too large get new names one by one, the session the last.
bool move_session(const std::string& from, const std::string& to) {
  if (const auto beside = files_there(beside_session(from)); !beside.empty()) {
    if (const Result<bool> whole = write_with_parts(from, to); whole && *whole) {
      remove_session(from);
      return true;
    }
    const std::vector<std::string> before = beside_session(from), after = beside_session(to);
    std::error_code ignored;
    for (std::size_t i = 0; i < before.size(); ++i)
      if (fs::exists(before[i], ignored)) (void)move_file(before[i], after[i]);
  }
  return move_file(from, to).ok();
}

std::vector<std::string> kept_sessions() {
  if (config_folder().empty()) return {};
  const auto left = names_in_config([](const std::string& name) {
    const pid_t owner = owner_of(name);  // before the first autosave: our process id was another's
    return owner != 0 && (owner == ::getpid() || !keeps_it(owner));
  });
  for (const std::string& name : left) (void)move_session(in_config_folder(name), new_kept_path("crash"));
  std::vector<std::string> out;
  for (const std::string& name : names_in_config(is_session_path))
    if (const std::string path = in_config_folder(name); is_kept_session(path)) out.push_back(path);
  sort_newest_first(out);
  return out;
}

std::vector<std::string> sessions_to_offer(const std::string& last) {
  std::vector<std::string> out = kept_sessions();
  std::error_code ignored;
  if (!last.empty() && fs::exists(last, ignored) && std::find(out.begin(), out.end(), last) == out.end())
    out.push_back(last);
  sort_newest_first(out);
  return out;
}

void prune_kept_sessions(const std::vector<std::string>& spared) {
  const std::vector<std::string> kept = kept_sessions();
  const fs::file_time_type young = fs::file_time_type::clock::now() - kKeptFor;
  for (std::size_t i = kNewestKept; i < kept.size(); ++i) {
    const bool stays = std::find(spared.begin(), spared.end(), kept[i]) != spared.end();
    if (!stays && written_at(kept[i]) < young && read_session(kept[i])) remove_session(kept[i]);
  }
}

void remove_autosaves() {
  for (const std::string& name :
       names_in_config([](const std::string& name) { return owner_of(name) == ::getpid(); }))
    remove_session(in_config_folder(name));
}

}  // namespace attnscope
