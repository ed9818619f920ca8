// Where the repository lies, and its files as text.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace attnscope::layering {

inline const std::filesystem::path kRoot = ATTNSCOPE_SOURCE_DIR;

/// The whole file; "" when it cannot be read.
inline std::string read(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace attnscope::layering
