// Read-only memory-mapped files, and small files read whole.
// Refuses what is no regular file (folders, devices, pipes: reading those could wait for ever) and empty
// files. A file that somebody else cuts short while it is mapped raises SIGBUS at the next touch of the
// missing part: the operating system offers no other answer, so replace a model by renaming a new file over
// it, as our own writers do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/base/result.h"

namespace attnscope {

class MappedFile {
 public:
  /// Errors: not_found (missing, with the folder's state), io_failed (folder, device, empty, no permission,
  /// mmap).
  static Result<std::shared_ptr<const MappedFile>> open(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }
  std::span<const std::byte> bytes() const { return {data_, static_cast<std::size_t>(size_)}; }

 private:
  MappedFile(std::string path, const std::byte* data, std::uint64_t size)
      : path_(std::move(path)), data_(data), size_(size) {}

  std::string path_;
  const std::byte* data_ = nullptr;
  std::uint64_t size_ = 0;
};

/// The whole file as a string (a copy: later changes of the file do not matter). An empty file is an error.
/// Errors as MappedFile::open, and unsupported when it is larger than `max_bytes`.
Result<std::string> read_file(const std::string& path, std::uint64_t max_bytes);

}  // namespace attnscope
