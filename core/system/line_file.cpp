#include "core/system/line_file.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "core/base/text.h"

namespace attnscope {

Result<LineFile> LineFile::open(const std::string& path) {
  struct stat info = {};
  std::FILE* file = std::fopen(path.c_str(), "rb");
  const int reason = errno;
  if (!file) {
    if (reason == ENOENT || reason == ENOTDIR)
      return fail(Code::not_found, "error.system.no_file", {quoted_path(path)});
    if (reason == EACCES || reason == EPERM)
      return fail(Code::io_failed, "error.system.no_permission", {quoted_path(path)});
    return fail(Code::io_failed, "error.system.open", {quoted_path(path), std::strerror(reason)});
  }
  const bool known = ::fstat(::fileno(file), &info) == 0;
  LineFile out(path, file, !known || !S_ISREG(info.st_mode));
  if (known && S_ISDIR(info.st_mode))
    return fail(Code::io_failed, "error.system.read_folder", {quoted_path(path)});
  return out;
}

Result<std::optional<std::string>> LineFile::next() {
  std::string text;
  int c = 0;
  while ((c = ::getc_unlocked(file_.get())) != EOF && c != '\n') {
    if (text.size() >= kLongestLine)
      return fail(Code::unsupported, "error.system.long_line",
                  {quoted_path(path_), line_ + 1, static_cast<std::int64_t>(kLongestLine >> 20)});
    text += static_cast<char>(c);
  }
  if (std::ferror(file_.get()))
    return fail(Code::io_failed, "error.system.read", {quoted_path(path_), std::strerror(errno)});
  if (c == EOF && text.empty()) return std::optional<std::string>();
  hash_.take(text);
  if (text.ends_with('\r')) text.pop_back();
  constexpr std::string_view kMark = "\xEF\xBB\xBF";  // of the order of bytes, which some editors write
  if (++line_ == 1 && text.starts_with(kMark)) text.erase(0, kMark.size());
  return std::optional(std::move(text));
}

}  // namespace attnscope
