// Text and bytes inside of XML and HTML. Refuses to know any element.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace attnscope {

/// Text inside of an element or an attribute: what XML cannot say becomes U+FFFD.
std::string xml_text(std::string_view text);
/// Bytes as data: addresses carry them (RFC 4648).
std::string base64(std::span<const std::uint8_t> bytes);

}  // namespace attnscope
