// What the tests of core/io share: safetensors bytes from a header text, and a folder that vanishes.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "core/io/safetensors.h"
#include "tests/temp_folder.h"

namespace attnscope::test {

inline std::string golden(const std::string& name) {
  return std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/" + name;
}

/// Length, header and data as a safetensors file has them; `length` may lie.
inline std::string safetensors_text(const std::string& header, const std::string& data,
                                    std::uint64_t length) {
  return std::string(reinterpret_cast<const char*>(&length), 8) + header + data;
}
inline std::string safetensors_text(const std::string& header, const std::string& data) {
  return safetensors_text(header, data, header.size());
}

/// A copy of the text in memory of exactly its size, so that a sanitizer sees every read beyond the end.
inline std::shared_ptr<const std::vector<std::byte>> exact_bytes(const std::string& text) {
  const auto* from = reinterpret_cast<const std::byte*>(text.data());
  return std::make_shared<const std::vector<std::byte>>(from, from + text.size());
}

inline Result<std::shared_ptr<TensorSource>> open_text(const std::string& text) {
  const auto bytes = exact_bytes(text);
  return open_safetensors_bytes(bytes, *bytes, "test.safetensors");
}

template <class T>
std::string raw(const std::vector<T>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

inline void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}
inline std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

using testing::TempFolder;

/// Fails unless `result` is an error whose sentence contains `part` and that has a hint.
template <class T>
void expect_error(const Result<T>& result, Code code, const std::string& part) {
  ASSERT_FALSE(result) << "expected an error with: " << part;
  EXPECT_EQ(result.error().code, code) << result.error().sentence;
  EXPECT_NE(result.error().sentence.find(part), std::string::npos) << result.error().sentence;
  EXPECT_FALSE(result.error().hint.empty()) << result.error().sentence;
  EXPECT_EQ(result.error().sentence.back(), '.') << result.error().sentence;
}

}  // namespace attnscope::test
