// Deflate, the compression inside zip, and the checksum of its members; both are zlib's. The expanded size
// is given by the caller and checked, also against the largest factor that deflate can reach.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace attnscope {

/// A deflated stream is at most this many times smaller than what it holds (RFC 1951: 258 bytes in 2 bits).
inline constexpr std::uint64_t kMostDeflated = 1032;

/// Bytes of their own, aligned for any number.
struct OwnedBytes {
  std::shared_ptr<const void> owner;
  std::span<const std::byte> bytes;
};
/// Raw deflate, without a header -> exactly `size` bytes; nothing where it does not hold as many. Throws
/// std::bad_alloc where they do not fit into memory.
std::optional<OwnedBytes> inflated(std::span<const std::byte> packed, std::uint64_t size);

/// The first bytes of a stream, at most `most`: enough to parse a header before memory for the rest is
/// allocated. Fewer where the stream ends or breaks off before.
std::vector<std::byte> inflated_front(std::span<const std::byte> packed, std::size_t most);

/// CRC-32 of zip and PNG; pass the previous value to go on.
std::uint32_t crc32_of(std::span<const std::byte> bytes, std::uint32_t so_far = 0);

}  // namespace attnscope
