#include "core/text/wire_reader.h"

#include <bit>

#include "core/base/text.h"

namespace attnscope {

float WireField::real() const {
  return kind == Kind::fixed32 ? std::bit_cast<float>(static_cast<std::uint32_t>(number)) : 0.0F;
}

Error WireReader::broken(std::string_view key, std::size_t at) const {
  return fail(Code::bad_format, key, {at, bytes_.size()});
}

Result<std::uint64_t> WireReader::varint() {
  const std::size_t begin = at_;
  std::uint64_t out = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (done()) return broken("error.text.wire.breaks_off", begin);
    const auto byte = static_cast<unsigned char>(bytes_[at_++]);
    out |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80) return out;
  }
  return broken("error.text.wire.large", begin);
}

Result<std::uint64_t> WireReader::fixed(int count) {
  if (bytes_.size() - at_ < static_cast<std::size_t>(count)) return broken("error.text.wire.breaks_off", at_);
  std::uint64_t out = 0;
  for (int i = 0; i < count; ++i)
    out |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes_[at_++])) << (8 * i);
  return out;
}

Result<WireField> WireReader::next() {
  const std::size_t begin = at_;
  TRY(const std::uint64_t key, varint());
  WireField out;
  out.id = static_cast<int>(key >> 3);
  if (key >> 3 == 0 || key >> 3 > 536870911) return broken("error.text.wire.field", begin);
  switch (key & 7) {
    case 0: {
      TRY(out.number, varint());
      return out;
    }
    case 1: {
      out.kind = WireField::Kind::fixed64;
      TRY(out.number, fixed(8));
      return out;
    }
    case 2: {
      out.kind = WireField::Kind::bytes;
      TRY(const std::uint64_t length, varint());
      if (length > bytes_.size() - at_) return broken("error.text.wire.length", begin);
      out.bytes = bytes_.substr(at_, static_cast<std::size_t>(length));
      at_ += static_cast<std::size_t>(length);
      return out;
    }
    case 5: {
      out.kind = WireField::Kind::fixed32;
      TRY(out.number, fixed(4));
      return out;
    }
    default: return broken("error.text.wire.kind", begin);
  }
}

}  // namespace attnscope
