// Files to read from: bytes that stay the same while the file is saved anew, and a record of what was read,
// so that a change can be detected. A file of moderate size is copied; a larger one is mapped, and intact()
// is an error once its pages differ from those that were opened. Only regular files (opening a device or
// pipe could block); empty files and files that change while they are read are errors.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/no_copy.h"
#include "core/base/result.h"
#include "core/system/file_stamp.h"

namespace attnscope {

class MappedFile : NoCopy {
 public:
  /// Errors: not_found (missing, with the folder's state), io_failed (folder, device, empty, no permission,
  /// mmap, changing while it is read).
  static Result<std::shared_ptr<const MappedFile>> open(const std::string& path);
  ~MappedFile();

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return stamp_.bytes; }
  std::span<const std::byte> bytes() const { return {data_, static_cast<std::size_t>(size())}; }
  const FileStamp& stamp() const { return stamp_; }
  /// The bytes are a copy in memory.
  bool copied() const { return fd_ < 0; }
  /// The bytes are those that were opened. Errors (io_failed): the file was written to, cut short, or
  /// it can no longer be read. Costs two system calls, so that it can be called before and after every
  /// use.
  Status intact() const;

 private:
  MappedFile(std::string path, const FileStamp& stamp) : path_(std::move(path)), stamp_(stamp) {}
  Status copy(int fd);
  Status map(int fd);

  std::string path_;
  FileStamp stamp_;
  const std::byte* data_ = nullptr;
  int fd_ = -1;  ///< of a mapped file, for fstat
  std::atomic<bool> lost_{false};
};

/// Files up to this size are copied, as long as all copies together stay below four times as much.
inline constexpr std::uint64_t kMostCopied = 256ull << 20;

/// The whole file as a string (a copy: later changes of the file do not matter), which may be empty.
/// Errors as MappedFile::open, and unsupported when it is larger than `max_bytes`.
Result<std::string> read_file(const std::string& path, std::uint64_t max_bytes);

/// A file that something was read from, as it was then.
struct ReadFile {
  std::string path;
  FileStamp stamp;
  std::weak_ptr<const MappedFile> mapping;  ///< empty once nothing looks into the file any more

  /// What was taken from it still is what was read (MappedFile::intact).
  Status intact() const;
  /// Another state lies at the path now. A path that leads nowhere is no newer one.
  bool newer() const;
};

/// Notes the files that its thread opens while it lives (MappedFile::open, read_file); the innermost one
/// notes.
class FilesRead : NoCopy {
 public:
  /// Only files up to `most_copied` are copied meanwhile.
  explicit FilesRead(std::uint64_t most_copied = kMostCopied);
  ~FilesRead();
  const std::vector<ReadFile>& all() const { return files_; }
  void note(ReadFile file) { files_.push_back(std::move(file)); }
  std::uint64_t most_copied() const { return most_copied_; }

 private:
  FilesRead* outer_;
  std::uint64_t most_copied_;
  std::vector<ReadFile> files_;
};

/// The first of the files that no longer is what was read.
Status intact(const std::vector<ReadFile>& files);

}  // namespace attnscope
