// Reads the wire format of protocol buffers, field by field, from bytes that may hold anything. Nothing is
// copied and nothing is allocated by a length in the file. Errors: lengths and numbers that run over the
// end, groups, and field number 0.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/result.h"

namespace attnscope {

struct WireField {
  enum class Kind { number, bytes, fixed64, fixed32 };
  int id = 0;
  Kind kind = Kind::number;
  std::uint64_t number = 0;  // number, fixed64, fixed32
  std::string_view bytes;    // bytes

  /// The 32 bits as a float; 0 for fields of another kind.
  float real() const;
  /// The number as a 32-bit signed one, as enums and int32 are written.
  int integer() const { return static_cast<int>(static_cast<std::uint32_t>(number)); }
  bool flag() const { return number != 0; }
};

class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : bytes_(bytes) {}
  bool done() const { return at_ >= bytes_.size(); }
  /// Errors have the byte (of the message this reader was made for).
  Result<WireField> next();

 private:
  Result<std::uint64_t> varint();
  Result<std::uint64_t> fixed(int count);
  Error broken(std::string_view key, std::size_t at) const;

  std::string_view bytes_;
  std::size_t at_ = 0;
};

}  // namespace attnscope
