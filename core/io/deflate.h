// zlib streams (RFC 1950), as PNG, PDF and our own blocks in other files have them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace attnscope {

/// Packed; the same bytes for the same text.
std::string zlib_packed(std::string_view bytes);
/// Of untrusted bytes: nothing where they are no whole stream, or one of more than `most` bytes. What stands
/// behind the stream is ignored.
std::optional<std::string> zlib_unpacked(std::string_view packed, std::uint64_t most);

}  // namespace attnscope
