#include "core/system/file_stamp.h"

namespace attnscope {
namespace {

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

FileStamp stamp_of(const struct stat& info) {
  FileStamp out;
  out.device = info.st_dev, out.inode = info.st_ino;
  out.bytes = static_cast<std::uint64_t>(info.st_size);
  out.modified_ns = nanoseconds(info.st_mtim), out.changed_ns = nanoseconds(info.st_ctim);
  out.mode = info.st_mode, out.user = info.st_uid, out.group = info.st_gid;
  out.links = static_cast<std::uint64_t>(info.st_nlink);
  return out;
}

std::optional<FileStamp> stamp_of(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return stamp_of(info);
}

bool rewritten(const FileStamp& then, const FileStamp& now) {
  if (then.bytes != now.bytes || then.modified_ns != now.modified_ns) return true;
  const bool explained =
      then.mode != now.mode || then.user != now.user || then.group != now.group || then.links != now.links;
  return then.changed_ns != now.changed_ns && !explained;
}

}  // namespace attnscope
