#include "core/system/captured_output.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <utility>

namespace attnscope {
namespace {

constexpr std::size_t kBlock = 1 << 16;

// A file without a name: in memory, where all of it will be read anyway, else in the folder of temporary
// ones.
int nameless_file() {
  if (const int fd = ::memfd_create("attnscope", MFD_CLOEXEC); fd >= 0) return fd;
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  std::string name = ((error ? std::filesystem::path("/tmp") : folder) / "attnscope-XXXXXX").string();
  const int fd = ::mkostemp(name.data(), O_CLOEXEC);
  if (fd >= 0) ::unlink(name.c_str());
  return fd;
}

void flush() {
  std::cout.flush();
  std::fflush(stdout);
  std::fflush(stderr);
}

std::string all_of(int fd) {
  flush();
  std::string text;
  char block[kBlock];
  for (off_t at = 0;;) {
    const ssize_t got = ::pread(fd, block, sizeof block, at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(block, static_cast<std::size_t>(got));
    at += got;
  }
}

}  // namespace

Result<CapturedOutput> CapturedOutput::begin() {
  flush();
  CapturedOutput out;
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  for (int& fd : out.kept_) fd = nameless_file();
  const bool made = nothing >= 0 && out.kept_[0] >= 0 && out.kept_[1] >= 0;
  const int reason = errno;
  for (int i = 0; made && i < 3; ++i) out.before_[i] = ::fcntl(i, F_DUPFD_CLOEXEC, 3);
  const int leads_to[] = {nothing, out.kept_[0], out.kept_[1]};
  for (int i = 0; made && i < 3; ++i) ::dup2(leads_to[i], i);
  if (nothing >= 0) ::close(nothing);
  if (!made) return fail(Code::io_failed, "error.system.captured", {std::strerror(reason)});
  return out;
}

CapturedOutput::CapturedOutput(CapturedOutput&& other) noexcept {
  for (int i = 0; i < 3; ++i) before_[i] = std::exchange(other.before_[i], -1);
  for (int i = 0; i < 2; ++i) kept_[i] = std::exchange(other.kept_[i], -1);
}

CapturedOutput::~CapturedOutput() {
  if (before_[1] >= 0) flush();
  for (int i = 0; i < 3; ++i) {
    if (before_[i] < 0) continue;
    ::dup2(before_[i], i);
    ::close(before_[i]);
  }
  for (const int fd : kept_)
    if (fd >= 0) ::close(fd);
  std::clearerr(stdout);
  std::cout.clear();
}

std::string CapturedOutput::out() { return all_of(kept_[0]); }
std::string CapturedOutput::err() { return all_of(kept_[1]); }

}  // namespace attnscope
