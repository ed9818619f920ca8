// A folder of a test's own that vanishes with it.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "core/base/no_copy.h"

namespace attnscope::testing {

class TempFolder : NoCopy {
 public:
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "attnscope-test-XXXXXX").string();
    if (::mkdtemp(pattern.data())) path_ = pattern;
  }
  /// Also where a test took the right to write away.
  ~TempFolder() {
    std::error_code ignored;
    if (path_.empty()) return;
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }
  /// How many files lie in it.
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::string path_;
};

}  // namespace attnscope::testing
