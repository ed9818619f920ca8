// Writes protocol buffers for tests: just the field kinds a SentencePiece model has.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace attnscope::testing {

class WireWriter {
 public:
  WireWriter& number(int id, std::uint64_t value) {
    varint(static_cast<std::uint64_t>(id) << 3);
    varint(value);
    return *this;
  }
  WireWriter& text(int id, std::string_view value) {
    varint(static_cast<std::uint64_t>(id) << 3 | 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  WireWriter& real(int id, float value) {
    varint(static_cast<std::uint64_t>(id) << 3 | 5);
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (int i = 0; i < 4; ++i) bytes_.push_back(static_cast<char>(bits >> (8 * i) & 0xFF));
    return *this;
  }
  WireWriter& message(int id, const WireWriter& inner) { return text(id, inner.bytes()); }
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value) {
    while (value >= 0x80) {
      bytes_.push_back(static_cast<char>((value & 0x7F) | 0x80));
      value >>= 7;
    }
    bytes_.push_back(static_cast<char>(value));
  }
  std::string bytes_;
};

}  // namespace attnscope::testing
