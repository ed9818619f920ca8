#include "core/base/markup.h"

#include "core/base/text.h"

namespace attnscope {

std::string xml_text(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t code_point = next_code_point(text, at);
    const bool control = code_point < 0x20 && code_point != '\t' && code_point != '\n' && code_point != '\r';
    switch (code_point) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default:
        append_utf8(out, control || code_point == 0xFFFE || code_point == 0xFFFF ? 0xFFFD : code_point);
    }
  }
  return out;
}

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t at) { return at < bytes.size() ? std::uint32_t{bytes[at]} : 0u; };
    const std::uint32_t three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    for (unsigned digit = 0; digit < 4; ++digit)
      out += i + digit > bytes.size() ? '=' : kDigits[three >> (18 - 6 * digit) & 63u];
  }
  return out;
}

}  // namespace attnscope
