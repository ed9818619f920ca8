#include "core/system/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/read_all.h"
#include "core/base/text.h"
#include "core/system/part_files.h"

namespace attnscope {
namespace {

constexpr std::size_t kPendingBytes = std::size_t{1} << 20;

const char* hint_for(int reason) {
  switch (reason) {
    case ENOSPC:
    case EDQUOT: return "error.system.hint.space";
    case ENOENT:
    case ENOTDIR: return "error.system.hint.folder";
    case EACCES:
    case EPERM:
    case EROFS: return "error.system.hint.permission";
    case EFBIG: return "error.system.hint.large";
    case ENAMETOOLONG: return "error.system.hint.name";
    default: return "error.system.hint.disk";
  }
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// The file a symbolic link leads to, so that the link stays a link.
std::string resolved(const std::string& path) {
  char* real = ::realpath(path.c_str(), nullptr);
  if (!real) return path;
  std::string out = real;
  std::free(real);  // NOLINT: realpath's memory is malloc's
  return out;
}

// Opens a new file beside `target`; gives its name too.
int open_beside(const std::string& target, mode_t mode, std::string& name) {
  const std::filesystem::path folder = std::filesystem::path(target).parent_path();
  remove_dead_parts(folder_of(target));
  for (int attempt = 0; attempt < 100; ++attempt) {
    name = (folder / new_part_name()).string();
    const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd >= 0) lock_part(fd);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

// A device, or a pipe with a reader: opening one without a reader would block.
Result<int> open_stream(const std::string& target, const std::string& path) {
  const int fd = ::open(target.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (fd < 0 && errno == ENXIO) return fail(Code::io_failed, "error.system.no_reader", {quoted_path(path)});
  if (fd < 0) return write_error(path, errno);
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  return fd;
}

// What this program has open already: it goes on where that stands, wherever it leads.
std::optional<int> own_descriptor(std::string_view path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    int fd = -1;
    if (read_all(path.substr(folder.size()), fd) && fd >= 0) return fd;
  }
  return std::nullopt;
}

}  // namespace

Error write_error(const std::string& path, int reason) {
  // Where a folder takes no new files, some file systems (/proc) report ENOENT.
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (reason == ENOENT && std::filesystem::is_directory(folder.empty() ? "." : folder, ignored))
    reason = EROFS;
  return Error{Code::io_failed, Text::of("error.system.write", {quoted_path(path), std::strerror(reason)}),
               Text::of(hint_for(reason))};
}

void flush_folder(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;  // the files in it are safe; not every folder can be opened for reading
  ::fsync(fd);
  ::close(fd);
}

Status move_file(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return write_error(to, errno);
  flush_folder(folder_of(to));
  if (folder_of(from) != folder_of(to)) flush_folder(folder_of(from));
  return Done{};
}

Status make_folder(const std::string& path) {
  std::error_code error;
  std::error_code ignored;
  std::vector<std::string> above;  // of those that are missing: they hold new names
  for (std::filesystem::path at = path; !at.empty() && !std::filesystem::exists(at, ignored);
       at = at.has_filename() ? at.parent_path() : at.parent_path().parent_path())
    above.push_back(folder_of(at.has_filename() ? at.string() : at.parent_path().string()));
  std::filesystem::create_directories(path, error);
  for (const std::string& folder : above) flush_folder(folder);
  if (!error || std::filesystem::is_directory(path, ignored)) return Done{};
  return Error{Code::io_failed, Text::of("error.system.make_folder", {quoted_path(path), error.message()}),
               Text::of(hint_for(error.value()))};
}

bool is_stream(const std::string& path) {
  if (own_descriptor(path)) return true;
  struct stat there {};
  return ::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode);
}

Result<AtomicFile> AtomicFile::create(const std::string& path, WriteTo what) {
  if (path.empty() || path.find('\0') != std::string::npos) return write_error(path, ENOENT);
  if (const auto own = own_descriptor(path); own && what == WriteTo::anything) {
    std::ignore = std::fflush(*own == STDERR_FILENO ? stderr : stdout);  // what was printed stands before it
    const int fd = ::fcntl(*own, F_DUPFD_CLOEXEC, 0);
    if (fd < 0) return write_error(path, errno);
    return AtomicFile(fd, path, "");
  }
  const std::string target = resolved(path);
  struct stat old {};
  const bool exists = ::stat(target.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode))
    return fail(Code::io_failed, "error.system.write_folder", {quoted_path(path)});
  const bool regular = !exists || S_ISREG(old.st_mode);
  if (!regular && what == WriteTo::regular_file)
    return fail(Code::io_failed, "error.system.write_device", {quoted_path(path)});
  if (!regular) {
    TRY(const int fd, open_stream(target, path));
    return AtomicFile(fd, target, "");
  }
  std::string temporary;
  const int fd = open_beside(target, 0666, temporary);
  if (fd < 0) return write_error(path, errno);
  if (exists)
    std::ignore = ::fchmod(fd, old.st_mode & 07777);  // keep the old file's permissions where possible
  return AtomicFile(fd, target, temporary);
}

AtomicFile::AtomicFile(int fd, std::string target, std::string temporary)
    : fd_(fd), target_(std::move(target)), temporary_(std::move(temporary)) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      pending_(std::move(other.pending_)),
      written_(other.written_),
      reason_(other.reason_) {}

AtomicFile::~AtomicFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(const void* data, std::size_t bytes) {
  written_ += bytes;
  const char* from = static_cast<const char*>(data);
  while (bytes > 0 && reason_ == 0) {
    const std::size_t piece = std::min(bytes, kPendingBytes - pending_.size());
    pending_.append(from, piece);
    from += piece;
    bytes -= piece;
    if (pending_.size() == kPendingBytes) flush();
  }
}

void AtomicFile::flush() {
  std::size_t done = 0;
  while (done < pending_.size() && reason_ == 0) {
    const ssize_t put = ::write(fd_, pending_.data() + done, pending_.size() - done);
    if (put >= 0)
      done += static_cast<std::size_t>(put);
    else if (errno != EINTR)
      reason_ = errno;
  }
  pending_.clear();
}

Error AtomicFile::failure() const { return write_error(target_, reason_); }

Status AtomicFile::prepare() {
  if (fd_ >= 0) flush();
  if (fd_ >= 0 && reason_ == 0 && !temporary_.empty() && ::fsync(fd_) != 0 && errno != EINVAL &&
      errno != ENOTSUP)
    reason_ = errno;
  if (fd_ >= 0 && ::close(std::exchange(fd_, -1)) != 0 && reason_ == 0) reason_ = errno;
  if (reason_ != 0) return failure();
  return Done{};
}

Status AtomicFile::commit() {
  TRY_OK(prepare());
  if (temporary_.empty()) return Done{};
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) reason_ = errno;
  if (reason_ != 0) return failure();
  flush_folder(folder_of(target_));
  temporary_.clear();
  return Done{};
}

Status write_file(const std::string& path, std::string_view text) {
  TRY(AtomicFile file, AtomicFile::create(path, WriteTo::regular_file));
  file.write(text);
  return file.commit();
}

Result<bool> claim_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0 && errno == EEXIST) return false;
  if (fd < 0) return write_error(path, errno);
  ::close(fd);
  return true;
}

}  // namespace attnscope
