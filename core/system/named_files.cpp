#include "core/system/named_files.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/system/atomic_file.h"
#include "core/system/mapped_file.h"
#include "core/system/places.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostKnown = 400;
constexpr std::uint64_t kMostListBytes = 4 << 20;
constexpr const char* kRefused = "error.system.outside";

thread_local std::optional<std::string> file_being_read;

struct Allowed {
  std::mutex mutex;
  std::set<std::string> paths;
  bool all = false;
};
Allowed& allowed() {
  static Allowed one;
  return one;
}

// Where a path leads, through links, whether or not something is there.
fs::path real_path(const fs::path& path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? fs::absolute(path, error).lexically_normal() : real;
}

// The folder itself, or anything below it.
bool inside(const fs::path& path, const fs::path& folder) {
  const auto [at, end] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return at == folder.end() || (std::next(at) == folder.end() && at->empty());  // "folder/" ends in nothing
}

std::atomic<bool> list_is_kept{false};

std::string list_path() {
  const std::string folder = list_is_kept ? config_folder() : std::string();
  return folder.empty() ? folder : folder + "/known_files";
}

// One path a line, the newest first.
std::vector<std::string> known_files() {
  const std::string path = list_path();
  const Result<std::string> text = path.empty() ? Result<std::string>("") : read_file(path, kMostListBytes);
  std::vector<std::string> out;
  for (std::string& line : split(text ? *text : std::string(), '\n'))
    if (starts_with(line, "/") && out.size() < kMostKnown) out.push_back(std::move(line));
  return out;
}

bool may_be_read(const fs::path& path) {
  Allowed& these = allowed();
  const std::lock_guard lock(these.mutex);
  const auto holds = [&](const std::string& known) { return inside(path, known); };
  if (these.all || std::any_of(these.paths.begin(), these.paths.end(), holds)) return true;
  const std::vector<std::string> known = known_files();
  return std::any_of(known.begin(), known.end(), holds);
}

// Built-in names ("model:storyteller") are no files.
bool is_there(const std::string& path) {
  std::error_code ignored;
  return !path.empty() && fs::exists(path, ignored);
}

std::optional<std::string> refused_in(const Text& text) {
  if (text.key() == kRefused && text.arguments().size() > 2) return text.arguments()[2].str();
  for (const Text& argument : text.arguments())
    if (auto found = refused_in(argument)) return found;
  return std::nullopt;
}

}  // namespace

PathsIn::PathsIn(std::string file) : outer_(std::exchange(file_being_read, std::move(file))) {}
PathsIn::~PathsIn() { file_being_read = std::move(outer_); }
std::optional<std::string> PathsIn::now() { return file_being_read; }

Result<std::string> named_file(const std::string& path) {
  if (!file_being_read) return path;
  const fs::path folder = real_path(*file_being_read).parent_path(), named = path;
  const fs::path whole = real_path(named.is_absolute() ? named : folder / named);
  const std::string own = config_folder();
  const bool trusted = !file_being_read->empty() &&
                       (inside(whole, folder) || (!own.empty() && inside(folder, real_path(own))));
  if (trusted || may_be_read(whole))
    return named.is_absolute() ? path : (folder / named).lexically_normal().string();
  return fail(Code::unsupported, kRefused,
              {quoted_path(*file_being_read), quoted_path(whole.string()), whole.string()});
}

void allow_file(const std::string& path) {
  if (!is_there(path)) return;
  Allowed& these = allowed();
  const std::lock_guard lock(these.mutex);
  these.paths.insert(real_path(path).string());
}

void know_file(const std::string& path) {
  if (!is_there(path)) return;
  allow_file(path);
  const std::string line = real_path(path).string(), list = list_path();
  if (list.empty() || line.find('\n') != std::string::npos || !make_folder(config_folder())) return;
  std::vector<std::string> known = known_files();
  if (!known.empty() && known.front() == line) return;
  std::erase(known, line);
  known.insert(known.begin(), line);
  if (known.size() > kMostKnown) known.resize(kMostKnown);
  (void)write_file(list, join(known, "\n") + "\n");
}

void keep_known_files(bool keep) { list_is_kept = keep; }

void allow_all_files() {
  Allowed& these = allowed();
  const std::lock_guard lock(these.mutex);
  these.all = true;
}

std::optional<std::string> refused_path(const Error& error) { return refused_in(error.what()); }

}  // namespace attnscope
