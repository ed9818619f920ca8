// Reads the head of a GGUF file step by step and never beyond its end. Error: bad_format for a length or
// count that the rest of the file cannot hold.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/io/gguf.h"

namespace attnscope {

class GgufCursor {
 public:
  GgufCursor(std::span<const std::byte> bytes, std::string what) : bytes_(bytes), what_(std::move(what)) {}

  std::uint64_t at() const { return at_; }
  std::uint64_t left() const { return bytes_.size() - at_; }
  const std::string& what() const { return what_; }

  /// A number of the file (little endian). `of` is its name in errors: "the key of metadata entry 3".
  template <class T>
  Result<T> number(const Text& of) {
    if (left() < sizeof(T)) return cut_off(of);
    T value;
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  /// 8 bytes of length and as many bytes of text.
  Result<std::string_view> text(const Text& of);
  /// One value of the given type; arrays inside arrays up to four deep.
  Result<GgufValue> value(std::uint32_t type, const Text& of);

  Error damaged(const Text& sentence) const;

 private:
  Error cut_off(const Text& of) const;
  Status skip_elements(GgufType element, std::uint64_t count, const Text& of, int depth);
  Result<GgufValue> array(const Text& of, int depth);

  std::span<const std::byte> bytes_;
  std::uint64_t at_ = 0;
  std::string what_;
};

/// Bytes of one value of a fixed width; 0 for texts and arrays.
std::uint64_t gguf_width(GgufType type);

}  // namespace attnscope
