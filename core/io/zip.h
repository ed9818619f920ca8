// The parts of the zip format that .npz needs: the layout of its records, shared by reader and writer. What
// is written is stored, never compressed, with sizes and offsets of 32 bits (no zip64).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace attnscope::zip {

inline constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50;
inline constexpr std::size_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22;
inline constexpr std::uint64_t kLimit = 0xFFFFFFFF;  ///< this value and above need zip64
inline constexpr std::size_t kMaxMembers = 0xFFFF;   ///< likewise

struct Member {
  std::string name;
  std::uint32_t crc = 0;
  std::uint64_t bytes = 0;   ///< of the contents
  std::uint64_t offset = 0;  ///< of the local header
};

/// The record before a member's contents, name included.
std::string local_header(const Member& member);
/// A member's line in the directory at the end.
std::string central_header(const Member& member);
/// The last record: `members` lines of `directory_bytes` bytes that begin at `directory_offset`.
std::string end_record(std::size_t members, std::uint64_t directory_bytes, std::uint64_t directory_offset);

}  // namespace attnscope::zip
