#include "core/system/part_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>

#include "core/base/text.h"
#include "core/system/process.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr std::time_t kDay = 24 * 60 * 60;

std::string first_line(const char* path) {
  std::array<char, 128> text{};
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  const ssize_t got = ::read(fd, text.data(), text.size());
  ::close(fd);
  return {text.data(), static_cast<std::size_t>(got > 0 ? got : 0)};
}

// FNV-1a over what is different on another machine, after a restart, and inside of a container.
std::uint32_t machine() {
  static const std::uint32_t hash = [] {
    std::array<char, 128> space{};
    const ssize_t got = ::readlink("/proc/self/ns/pid", space.data(), space.size());
    const std::string text = first_line("/proc/sys/kernel/random/boot_id") +
                             std::string(space.data(), static_cast<std::size_t>(got > 0 ? got : 0));
    std::uint32_t out = 2166136261u;
    for (const char c : text) out = (out ^ static_cast<unsigned char>(c)) * 16777619u;
    return out;
  }();
  return hash;
}

struct Owner {
  std::uint32_t machine = 0;
  pid_t process = 0;
};

constexpr std::string_view kPartDigits = "0123456789", kHexDigits = "0123456789abcdef";

// A name of `.attnscope-[HHHHHHHH-]PROCESS-NUMBER.part`: machine (eight hexadecimal digits; older files lack
// it), process (at most nine digits), a running number.
std::optional<Owner> owner_of(std::string_view name) {
  constexpr std::string_view kBegin = ".attnscope-", kEnd = ".part";
  if (name.size() < kBegin.size() + kEnd.size() || !starts_with(name, kBegin) || !ends_with(name, kEnd))
    return std::nullopt;
  std::vector<std::string> parts =
      split(name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size()), '-');
  Owner owner;
  if (parts.size() == 3) {
    if (parts[0].size() != 8 || parts[0].find_first_not_of(kHexDigits) != std::string::npos)
      return std::nullopt;
    owner.machine = static_cast<std::uint32_t>(std::stoul(parts[0], nullptr, 16));
    parts.erase(parts.begin());
  }
  if (parts.size() != 2 || parts[0].size() > 9) return std::nullopt;
  for (const std::string& part : parts)
    if (part.empty() || part.find_first_not_of(kPartDigits) != std::string::npos) return std::nullopt;
  owner.process = std::stoi(parts[0]);
  return owner;
}

bool is_dead(const Owner& owner, const struct stat& info) {
  if (process_runs(owner.process)) return false;
  return owner.machine == machine() || std::time(nullptr) - info.st_mtime > kDay;
}

void remove_if_dead(const fs::path& path, const Owner& owner) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (fd < 0) return;
  struct stat info {};
  const bool dead =
      ::fstat(fd, &info) == 0 && (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)) && is_dead(owner, info);
  std::error_code ignored;
  if (dead && ::flock(fd, LOCK_EX | LOCK_NB) == 0) fs::remove_all(path, ignored);
  ::close(fd);
}

bool looked_at(const std::string& folder) {
  static std::mutex mutex;
  static std::set<std::string> folders;
  const std::lock_guard lock(mutex);
  return !folders.insert(folder).second;
}

}  // namespace

std::string new_part_name() {
  static std::atomic<unsigned> counter{0};
  return format(".attnscope-%08x-%d-%u.part", machine(), static_cast<int>(::getpid()), counter++);
}

bool is_part_file(const std::string& name) { return owner_of(name).has_value(); }

void lock_part(int fd) { (void)::flock(fd, LOCK_EX | LOCK_NB); }

void remove_dead_parts(const std::string& folder) {
  if (looked_at(folder)) return;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (const auto owner = owner_of(at->path().filename().string())) remove_if_dead(at->path(), *owner);
}

}  // namespace attnscope
