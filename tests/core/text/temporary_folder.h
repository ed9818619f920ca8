// A folder that lives as long as a test.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/base/no_copy.h"

namespace attnscope::testing {

class TemporaryFolder : NoCopy {
 public:
  TemporaryFolder() {
    static int count = 0;
    folder_ = std::filesystem::temp_directory_path() /
              ("attnscope_text_" + std::to_string(::getpid()) + "_" + std::to_string(count++));
    std::filesystem::create_directories(folder_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string path() const { return folder_.string(); }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  void copy(const std::string& from, const std::string& name) const {
    std::filesystem::copy_file(from, folder_ / name, std::filesystem::copy_options::overwrite_existing);
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace attnscope::testing
