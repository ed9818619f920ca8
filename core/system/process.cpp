#include "core/system/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>

#include "core/base/text.h"

extern char** environ;

namespace attnscope {

bool process_runs(int process) {
  if (process <= 0 || (::kill(process, 0) != 0 && errno == ESRCH)) return false;
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");  // "12 (name) Z ..."
  std::string text;
  if (!std::getline(file, text)) return true;
  const std::size_t name_end = text.rfind(") ");
  return name_end == std::string::npos || name_end + 2 >= text.size() || text[name_end + 2] != 'Z';
}

namespace {

// A file in memory that holds the bytes and is read from its beginning: no pipe that could break. -1: errno.
int file_of(std::string_view bytes) {
  const int file = memfd_create("attnscope", MFD_CLOEXEC);
  while (file >= 0 && !bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      ::close(file);
      return -1;
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  if (file >= 0) ::lseek(file, 0, SEEK_SET);
  return file;
}

// Waits until a child has ended; false where it has not within `most`. A kernel that cannot tell: without a
// limit.
bool ends_within(pid_t child, std::chrono::milliseconds most) {
  const auto file =
      static_cast<int>(::syscall(SYS_pidfd_open, child, 0));  // the header of glibc 2.36 is none of C++
  if (file < 0) return true;
  const auto end = std::chrono::steady_clock::now() + most;
  pollfd ended{file, POLLIN, 0};
  int found = -1;
  do {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    found = ::poll(&ended, 1, static_cast<int>(std::max<std::int64_t>(0, left.count())));
  } while (found < 0 && errno == EINTR);
  ::close(file);
  return found != 0;
}

// How a child ended, as waitpid() tells it; nothing where it did not within `most`, and then it is killed.
std::optional<int> ended_within(pid_t child, std::chrono::milliseconds most) {
  const bool ends = ends_within(child, most);
  if (!ends) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return ends ? std::optional(status) : std::nullopt;
}

}  // namespace

Status run_with_input(const std::vector<std::string>& words, std::string_view input,
                      std::chrono::milliseconds most) {
  const int file = file_of(input);
  if (file < 0) return fail(Code::io_failed, "error.system.program", {words.front(), std::strerror(errno)});
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, file, STDIN_FILENO);
  for (const int out : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&files, out, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int refused = posix_spawnp(&child, arguments.front(), &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  ::close(file);
  if (refused == ENOENT) return fail(Code::not_found, "error.system.no_program", {words.front()});
  if (refused != 0)
    return fail(Code::io_failed, "error.system.program", {words.front(), std::strerror(refused)});
  const std::optional<int> ended = ended_within(child, most);
  if (!ended) {
    const std::string seconds = format("%g", static_cast<double>(most.count()) / 1000);
    return fail(Code::io_failed, "error.system.program",
                {words.front(), Text::of("error.system.program.slow", {seconds})});
  }
  const int status = *ended;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return Done{};
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)  // where posix_spawn cannot tell
    return fail(Code::not_found, "error.system.no_program", {words.front()});
  return fail(Code::io_failed, "error.system.program",
              {words.front(),
               Text::of("error.system.program.ended", {WIFEXITED(status) ? WEXITSTATUS(status) : -1})});
}

}  // namespace attnscope
