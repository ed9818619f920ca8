// zlib streams (RFC 1950), as PNG, PDF and our own blocks in other files have them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace attnscope {

/// Packed; the same bytes for the same text. `effort`: 0 to 9, -1: what zlib takes by itself.
std::string zlib_packed(std::string_view bytes, int effort = -1);
/// Of untrusted bytes: nothing where they are no whole stream, or one of more than `most` bytes. What stands
/// behind the stream is ignored.
std::optional<std::string> zlib_unpacked(std::string_view packed, std::uint64_t most);
/// The same where several streams may be tried: at most `left` bytes, and `left` becomes smaller by the bytes
/// that were unpacked, of a whole stream or not. What is no whole stream, or too large, costs time but no
/// memory.
std::optional<std::string> zlib_unpacked_of(std::string_view packed, std::uint64_t& left);

}  // namespace attnscope
