// FNV-1a hash (Fowler, Noll, Vo), 64 bits: for keys of caches and for comparing contents. Not cryptographic:
// collisions can be constructed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace attnscope {

class Hash {
 public:
  /// The eight bytes of a number.
  void take(std::uint64_t number) {
    for (int byte = 0; byte < 8; ++byte, number >>= 8) take_byte(static_cast<unsigned char>(number & 255u));
  }
  void take(std::string_view text) {
    for (const char c : text) take_byte(static_cast<unsigned char>(c));
    take(text.size());
  }
  std::uint64_t value() const { return value_; }

 private:
  void take_byte(unsigned char byte) { value_ = (value_ ^ byte) * 1099511628211ull; }
  std::uint64_t value_ = 14695981039346656037ull;
};

}  // namespace attnscope
