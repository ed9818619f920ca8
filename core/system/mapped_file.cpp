#include "core/system/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/text.h"
#include "core/base/thread_pool.h"
#include "core/system/lost_pages.h"

namespace attnscope {
namespace {

// A file descriptor that closes itself, and what its file was when it was opened.
class OpenedFile {
 public:
  OpenedFile(int fd, const FileStamp& stamp) : fd_(fd), stamp_(stamp) {}
  OpenedFile(OpenedFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)), stamp_(other.stamp_) {}
  OpenedFile& operator=(OpenedFile&&) = delete;
  ~OpenedFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  int fd() const { return fd_; }
  const FileStamp& stamp() const { return stamp_; }

 private:
  int fd_;
  FileStamp stamp_;
};

Error open_error(const std::string& path, int reason) {
  const std::string name = quoted_path(path);
  if (reason == ENOENT || reason == ENOTDIR) return fail(Code::not_found, "error.system.no_file", {name});
  if (reason == EACCES || reason == EPERM) return fail(Code::io_failed, "error.system.no_permission", {name});
  return fail(Code::io_failed, "error.system.open", {name, std::strerror(reason)});
}

Error kind_error(const std::string& path, const struct stat& info) {
  const std::string name = quoted_path(path);
  if (S_ISDIR(info.st_mode)) return fail(Code::io_failed, "error.system.read_folder", {name});
  if (!S_ISREG(info.st_mode)) return fail(Code::io_failed, "error.system.read_device", {name});
  return fail(Code::io_failed, "error.system.empty", {name});
}

Result<OpenedFile> open_regular(const std::string& path, bool may_be_empty = false) {
  if (path.find('\0') != std::string::npos) return open_error(path, ENOENT);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return open_error(path, errno);
  struct stat info {};
  const bool known = ::fstat(fd, &info) == 0;
  OpenedFile opened(fd, stamp_of(info));
  if (!known) return open_error(path, errno);
  if (!S_ISREG(info.st_mode) || (info.st_size <= 0 && !may_be_empty)) return kind_error(path, info);
  return Result<OpenedFile>(std::move(opened));
}

Error read_error(const std::string& path, int reason) {
  return fail(Code::io_failed, "error.system.read", {quoted_path(path), std::strerror(reason)});
}

// Reads one piece; an errno, or 0. A file that ends before the piece does is found out by its stamp.
int read_piece(int fd, char* to, std::int64_t begin, std::int64_t end) {
  while (begin < end) {
    const ssize_t got = ::pread(fd, to + begin, static_cast<std::size_t>(end - begin), begin);
    if (got < 0 && errno != EINTR) return errno;
    if (got == 0) return 0;
    begin += std::max<ssize_t>(got, 0);
  }
  return 0;
}

// Reads a file whole. Errors: the disk's, and a file that changed meanwhile.
Status read_whole(int fd, const std::string& path, const FileStamp& stamp, char* to) {
  constexpr std::int64_t kPiece = 8 << 20;
  std::atomic<int> reason{0};
  parallel_for(static_cast<std::int64_t>(stamp.bytes), kPiece, [&](std::int64_t begin, std::int64_t end) {
    if (const int why = read_piece(fd, to, begin, end)) reason = why;
  });
  if (reason != 0) return read_error(path, reason);
  struct stat now {};
  if (::fstat(fd, &now) == 0 && !rewritten(stamp, stamp_of(now))) return Done{};
  return fail(Code::io_failed, "error.system.changed", {quoted_path(path)});
}

// ---- copies and mappings --------------------------------------------------------------------------

std::atomic<std::uint64_t> copied_bytes{0};
thread_local FilesRead* noting = nullptr;

std::size_t whole(const FileStamp& stamp) { return static_cast<std::size_t>(stamp.bytes); }

// Takes its share of what may be copied.
bool may_copy(std::uint64_t bytes) {
  if (bytes > (noting ? noting->most_copied() : kMostCopied)) return false;
  if (copied_bytes.fetch_add(bytes) + bytes <= 4 * kMostCopied) return true;
  copied_bytes -= bytes;
  return false;
}

Error map_error(const std::string& path, std::uint64_t bytes, int reason) {
  return fail(Code::io_failed, "error.system.map",
              {quoted_path(path), format_bytes(bytes), std::strerror(reason)});
}

void note(const std::string& path, const FileStamp& stamp, std::weak_ptr<const MappedFile> mapping = {}) {
  if (noting) noting->note({path, stamp, std::move(mapping)});
}

}  // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path) {
  TRY(const OpenedFile opened, open_regular(path));
  const std::shared_ptr<MappedFile> file(new MappedFile(path, opened.stamp()));
  TRY_OK(may_copy(file->size()) ? file->copy(opened.fd()) : file->map(opened.fd()));
  note(path, opened.stamp(), file->copied() ? nullptr : file);
  return std::shared_ptr<const MappedFile>(file);
}

Status MappedFile::copy(int fd) {
  void* memory = ::mmap(nullptr, whole(stamp_), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    copied_bytes -= size();
    return map(fd);
  }
  data_ = static_cast<const std::byte*>(memory);
  TRY_OK(read_whole(fd, path_, stamp_, static_cast<char*>(memory)));
  ::mprotect(memory, whole(stamp_), PROT_READ);
  return Done{};
}

Status MappedFile::map(int fd) {
  fd_ = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (fd_ < 0) return open_error(path_, errno);
  void* memory = ::mmap(nullptr, whole(stamp_), PROT_READ, MAP_PRIVATE, fd_, 0);
  if (memory == MAP_FAILED) return map_error(path_, size(), errno);
  data_ = static_cast<const std::byte*>(memory);
  watch_pages(data_, whole(stamp_), lost_);
  return Done{};
}

MappedFile::~MappedFile() {
  if (data_ && copied()) copied_bytes -= size();
  if (data_ && !copied()) unwatch_pages(data_);
  if (data_) ::munmap(const_cast<std::byte*>(data_), whole(stamp_));  // NOLINT: munmap takes void*
  if (fd_ >= 0) ::close(fd_);
}

Status MappedFile::intact() const {
  if (copied()) return Done{};
  const std::string name = quoted_path(path_);
  if (lost_) return fail(Code::io_failed, "error.system.cut_short", {name});
  struct stat info {};
  const bool known = ::fstat(fd_, &info) == 0;
  FileStamp now = stamp_of(info);
  const auto there = stamp_of(path_);
  if (!there || !there->same_file(now)) now.changed_ns = stamp_.changed_ns;  // it was renamed or replaced
  if (known && !rewritten(stamp_, now)) return Done{};
  return fail(Code::io_failed, "error.system.mixed", {name});
}

Result<std::string> read_file(const std::string& path, std::uint64_t max_bytes) {
  TRY(const OpenedFile file, open_regular(path, true));
  const FileStamp& stamp = file.stamp();
  if (stamp.bytes > max_bytes)
    return fail(Code::unsupported, "error.system.large",
                {quoted_path(path), format_bytes(stamp.bytes), format_bytes(max_bytes)});
  std::string text(whole(stamp), '\0');
  TRY_OK(read_whole(file.fd(), path, stamp, text.data()));
  note(path, stamp);
  return text;
}

// ---- what was read --------------------------------------------------------------------------------

Status ReadFile::intact() const {
  const auto mapped = mapping.lock();
  return mapped ? mapped->intact() : Status(Done{});
}

bool ReadFile::newer() const {
  const auto now = stamp_of(path);
  return now && (!now->same_file(stamp) || rewritten(stamp, *now));
}

FilesRead::FilesRead(std::uint64_t most_copied)
    : outer_(std::exchange(noting, this)), most_copied_(std::min(most_copied, kMostCopied)) {}
FilesRead::~FilesRead() { noting = outer_; }

Status intact(const std::vector<ReadFile>& files) {
  for (const ReadFile& file : files) TRY_OK(file.intact());
  return Done{};
}

}  // namespace attnscope
