// What the tests of core/io share: safetensors bytes from a header text, and a folder that vanishes.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/io/safetensors.h"
#include "tests/results.h"

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

}  // namespace attnscope::test
