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
#include <regex>
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

std::optional<Owner> owner_of(const std::string& name) {
  static const std::regex pattern(R"(\.attnscope-(?:([0-9a-f]{8})-)?(\d{1,9})-\d+\.part)");
  std::smatch match;
  if (!std::regex_match(name, match, pattern)) return std::nullopt;
  const std::string on = match[1];
  return Owner{on.empty() ? 0 : static_cast<std::uint32_t>(std::stoul(on, nullptr, 16)), std::stoi(match[2])};
}

bool is_dead(const Owner& owner, const struct stat& info) {
  if (process_runs(owner.process)) return false;
  return owner.machine == machine() || std::time(nullptr) - info.st_mtime > kDay;
}

void remove_if_dead(const fs::path& path, const Owner& owner) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (fd < 0) return;
  struct stat info {};
  const bool dead = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && is_dead(owner, info);
  if (dead && ::flock(fd, LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
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

void lock_part(int fd) { (void)::flock(fd, LOCK_EX | LOCK_NB); }

void remove_dead_parts(const std::string& folder) {
  if (looked_at(folder)) return;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (const auto owner = owner_of(at->path().filename().string())) remove_if_dead(at->path(), *owner);
}

}  // namespace attnscope
