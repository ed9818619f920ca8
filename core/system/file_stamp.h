// Identity of one state of a file: device, inode, size and times (one stat call). Reads no contents, so
// that it is cheap enough for every frame.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>

namespace attnscope {

struct FileStamp {
  std::uint64_t device = 0, inode = 0, bytes = 0;
  std::int64_t modified_ns = 0;  ///< of the contents; anybody may set it
  std::int64_t changed_ns = 0;   ///< of contents, rights, owner or name; the system's own
  std::uint64_t mode = 0, user = 0, group = 0, links = 0;
  bool operator==(const FileStamp&) const = default;

  bool same_file(const FileStamp& other) const { return device == other.device && inode == other.inode; }
};

FileStamp stamp_of(const struct stat& info);
/// Of the file that a path leads to; nothing where there is none.
std::optional<FileStamp> stamp_of(const std::string& path);
/// True where the contents may differ between two stamps. A new change time (ctime) alone
/// counts where neither rights nor owner nor links explain it: the file was written and the time of the
/// contents (mtime) put back.
bool rewritten(const FileStamp& then, const FileStamp& now);

}  // namespace attnscope
