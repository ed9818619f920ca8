// A file that appears whole or not at all: written under another name in the same folder, flushed to the disk
// and renamed over the old one on commit. A full disk, a crash or a cancelled export leaves the old file as
// it was. Devices and pipes (/dev/stdout) have no old contents to keep and are written directly, where the
// WriteTo::anything is passed. Errors: io_failed for folders, and for pipes that have no reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace attnscope {

/// The folder, made where it is missing, with those above it, and their names on the disk. Error: io_failed,
/// with the system's reason and what to do.
Status make_folder(const std::string& path);
/// The names in a folder are on the disk when it returns, as far as the system lets folders be flushed.
void flush_folder(const std::string& folder);
/// Gives a file or a folder another name; the new one is on the disk when it returns. Errors: as create().
Status move_file(const std::string& from, const std::string& to);
/// What went wrong in writing `path`, by the system's number (errno), and what to do.
Error write_error(const std::string& path, int reason);
/// True for what has no old contents to keep: a pipe, a terminal, /dev/stdout, /dev/stderr, /dev/fd/N. It has
/// no extension either, by which a writer would choose a form.
bool is_stream(const std::string& path);
/// What may lie at a path that is written to. What the program keeps for itself is a regular file: another
/// one could make it wait for ever.
enum class WriteTo : std::uint8_t { anything, regular_file };

class AtomicFile {
 public:
  /// Errors: io_failed with the reason and what to do (folder missing, no permission, disk full).
  static Result<AtomicFile> create(const std::string& path, WriteTo what = WriteTo::anything);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  /// Without a commit: removes the temporary file.
  ~AtomicFile();

  /// Appends bytes. After the first failure nothing more is written; commit() returns that error.
  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  std::uint64_t written() const { return written_; }
  /// Flushes to the disk; what is left for commit() is the new name. For files that appear together.
  Status prepare();
  /// Flushes, and puts the new file in the place of the old one.
  Status commit();

 private:
  AtomicFile(int fd, std::string target, std::string temporary);
  void flush();
  Error failure() const;

  int fd_ = -1;
  std::string target_, temporary_;  // temporary_ is empty for a device
  std::string pending_;
  std::uint64_t written_ = 0;
  int reason_ = 0;  // errno of the first failure
};

/// Writes a text as a regular file, whole or not at all.
Status write_file(const std::string& path, std::string_view text);
/// Makes an empty file for oneself; false where something lies there already. Errors: as create().
Result<bool> claim_file(const std::string& path);

}  // namespace attnscope
