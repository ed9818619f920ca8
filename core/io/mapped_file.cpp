#include "core/io/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/text.h"
#include "core/io/quote.h"

namespace attnscope {
namespace {

// A file descriptor that closes itself, and the size of its file.
class Opened {
 public:
  explicit Opened(int fd) : fd_(fd) {}
  Opened(Opened&& other) noexcept : fd_(std::exchange(other.fd_, -1)), size_(other.size_) {}
  Opened& operator=(Opened&&) = delete;
  ~Opened() {
    if (fd_ >= 0) ::close(fd_);
  }
  int fd() const { return fd_; }
  std::uint64_t size() const { return size_; }
  void set_size(std::uint64_t size) { size_ = size; }

 private:
  int fd_;
  std::uint64_t size_ = 0;
};

Error open_error(const std::string& path, int reason) {
  const std::string name = in_quotes(path, 400);
  if (reason == ENOENT || reason == ENOTDIR)
    return fail(Code::not_found, "There is no file " + name + ".", "Check the spelling and the folder.");
  if (reason == EACCES || reason == EPERM)
    return fail(Code::io_failed, "The file " + name + " may not be read by this user.",
                "Change its permissions (chmod +r) or copy it to a folder of your own.");
  return fail(Code::io_failed, "The file " + name + " cannot be opened: " + std::strerror(reason) + ".",
              "Check the path and the disk.");
}

Error kind_error(const std::string& path, const struct stat& info) {
  const std::string name = in_quotes(path, 400);
  if (S_ISDIR(info.st_mode))
    return fail(Code::io_failed, name + " is a folder, not a file.", "Name a file inside it.");
  if (!S_ISREG(info.st_mode))
    return fail(Code::io_failed, name + " is a device or a pipe, not a regular file.",
                "Save the data to a file first.");
  return fail(Code::io_failed, "The file " + name + " is empty.",
              "It was probably cut off while it was copied or downloaded: fetch it again.");
}

Result<Opened> open_regular(const std::string& path) {
  if (path.find('\0') != std::string::npos) return open_error(path, ENOENT);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return open_error(path, errno);
  Opened opened(fd);
  struct stat info {};
  if (::fstat(fd, &info) != 0) return open_error(path, errno);
  if (!S_ISREG(info.st_mode) || info.st_size <= 0) return kind_error(path, info);
  opened.set_size(static_cast<std::uint64_t>(info.st_size));
  return Result<Opened>(std::move(opened));
}

}  // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path) {
  TRY(const Opened file, open_regular(path));
  void* memory = ::mmap(nullptr, static_cast<std::size_t>(file.size()), PROT_READ, MAP_PRIVATE, file.fd(), 0);
  if (memory == MAP_FAILED)
    return fail(Code::io_failed,
                "The file " + in_quotes(path, 400) + " (" + format_bytes(file.size()) +
                    ") cannot be mapped into memory: " + std::strerror(errno) + ".",
                "Copy it to a local disk, or close other programs.");
  return std::shared_ptr<const MappedFile>(
      new MappedFile(path, static_cast<const std::byte*>(memory), file.size()));
}

MappedFile::~MappedFile() {
  ::munmap(const_cast<std::byte*>(data_), static_cast<std::size_t>(size_));  // NOLINT: munmap takes void*
}

Result<std::string> read_file(const std::string& path, std::uint64_t max_bytes) {
  TRY(const Opened file, open_regular(path));
  if (file.size() > max_bytes)
    return fail(Code::unsupported,
                "The file " + in_quotes(path, 400) + " has " + format_bytes(file.size()) + "; at most " +
                    format_bytes(max_bytes) + " are read.",
                "Is it the right file?");
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    const ssize_t got = ::read(file.fd(), text.data() + have, text.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return fail(Code::io_failed,
                  "Reading " + in_quotes(path, 400) + " failed: " + std::strerror(errno) + ".",
                  "Check the disk.");
    if (got == 0) break;  // shortened meanwhile: what is there is what we parse
    have += static_cast<std::size_t>(got);
  }
  text.resize(have);
  return text;
}

}  // namespace attnscope
