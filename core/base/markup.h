// Escaping for XML and HTML, and base64.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace attnscope {

/// Text as the content of an element or an attribute: characters that XML does not allow become U+FFFD.
std::string xml_text(std::string_view text);
/// RFC 4648, as data: URLs carry bytes.
std::string base64(std::span<const std::uint8_t> bytes);

}  // namespace attnscope
