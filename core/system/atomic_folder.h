// A folder whose files appear together or not at all: they are written into a folder of another name beside
// it, which takes its place on commit. What lay in the old one under other names stays. After a crash or a
// power cut the old files are there, or the new ones, never some of both; only where the system exchanges no
// folders, and where this program or its caller stands in that folder, the files get their names one by one.
#pragma once

#include <string>

#include "core/base/result.h"

namespace attnscope {

class AtomicFolder {
 public:
  /// Errors: io_failed as in make_folder(); a file of that name.
  static Result<AtomicFolder> create(const std::string& path);
  AtomicFolder(AtomicFolder&& other) noexcept;
  AtomicFolder& operator=(AtomicFolder&&) = delete;
  /// Without a commit: removes what was written.
  ~AtomicFolder();

  /// Where the files are written until then.
  const std::string& path() const { return part_; }
  std::string in(const std::string& name) const { return part_ + "/" + name; }
  /// Puts them in place, on the disk too.
  Status commit();

 private:
  AtomicFolder(std::string target, std::string part, int lock);

  std::string target_, part_;
  int lock_ = -1;
};

}  // namespace attnscope
