#include "core/text/charsmap.h"

#include <algorithm>

#include "core/base/text.h"

namespace attnscope {

namespace {

constexpr std::size_t kMaxEntry =
    256;  // bytes of a text that one entry may replace; the longest have about 20

// One unit of a double array (as the Darts-clone library lays it out).
std::uint32_t label_of(std::uint32_t unit) { return unit & 0x800000FFU; }
std::uint32_t offset_of(std::uint32_t unit) { return (unit >> 10) << ((unit & 0x200U) >> 6); }
bool has_leaf(std::uint32_t unit) { return ((unit >> 8) & 1U) != 0; }
std::uint32_t value_of(std::uint32_t unit) { return unit & 0x7FFFFFFFU; }

std::uint32_t little_endian(std::string_view bytes) {
  std::uint32_t out = 0;
  for (int i = 3; i >= 0; --i)
    out = out << 8 | static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]);
  return out;
}

}  // namespace

Result<Charsmap> Charsmap::from_bytes(std::string_view bytes) {
  Charsmap out;
  if (bytes.empty()) return out;
  const std::uint64_t tree = bytes.size() < 4 ? 0 : little_endian(bytes);
  if (bytes.size() < 4 || tree % 4 != 0 || tree > bytes.size() - 4) {
    return fail(Code::bad_format, "error.text.charsmap", {bytes.size(), tree});
  }
  for (std::size_t at = 4; at < 4 + tree; at += 4) out.units_.push_back(little_endian(bytes.substr(at)));
  out.replacements_ = std::string(bytes.substr(4 + static_cast<std::size_t>(tree)));
  return out;
}

std::string_view Charsmap::replacement_at(std::uint32_t offset) const {
  if (offset >= replacements_.size()) return {};
  const std::string_view rest = std::string_view(replacements_).substr(offset);
  return rest.substr(0, rest.find('\0'));
}

std::optional<Charsmap::Found> Charsmap::find(std::string_view text, bool longest) const {
  std::optional<Found> out;
  if (units_.empty()) return out;
  std::uint64_t node = offset_of(units_[0]);
  const std::size_t most = std::min(text.size(), kMaxEntry);
  for (std::size_t length = 1; length <= most; ++length) {
    const auto byte = static_cast<unsigned char>(text[length - 1]);
    node ^= byte;
    if (node >= units_.size() || label_of(units_[node]) != byte) break;
    const std::uint32_t unit = units_[node];
    node ^= offset_of(unit);
    if (!has_leaf(unit)) continue;
    if (node >= units_.size()) break;
    out = Found{length, replacement_at(value_of(units_[node]))};
    if (!longest) break;
  }
  return out;
}

Result<std::string> from_base64(std::string_view text) {
  static const std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  int count = 0;
  for (std::size_t at = 0; at < text.size() && text[at] != '='; ++at) {
    if (std::string_view(" \t\r\n").find(text[at]) != std::string_view::npos) continue;
    const std::size_t digit = letters.find(text[at]);
    if (digit == std::string_view::npos) {
      return fail(Code::bad_format, "error.text.base64", {at});
    }
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out.push_back(static_cast<char>(bits >> count & 0xFF));
  }
  if (count >= 6) return fail(Code::bad_format, "error.text.base64_short");
  return out;
}

}  // namespace attnscope
