// What the tests of files share: whole texts in and out, and what a failure has to look like.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "core/base/result.h"
#include "tests/temp_folder.h"

namespace attnscope::test {

using testing::TempFolder;

inline void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}
inline std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Fails unless `result` is an error whose sentence contains `part` and that has a hint.
template <class T>
void expect_error(const Result<T>& result, Code code, const std::string& part) {
  ASSERT_FALSE(result) << "expected an error with: " << part;
  EXPECT_EQ(result.error().code(), code) << result.error().sentence();
  EXPECT_NE(result.error().sentence().find(part), std::string::npos) << result.error().sentence();
  EXPECT_FALSE(result.error().hint().empty()) << result.error().sentence();
  EXPECT_EQ(result.error().sentence().back(), '.') << result.error().sentence();
}

}  // namespace attnscope::test
