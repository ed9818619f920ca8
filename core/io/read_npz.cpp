// .npz reader: finds the directory at the end of the zip, checks every member against the file and its CRC.
#include <algorithm>
#include <cstring>
#include <optional>

#include "core/base/text.h"
#include "core/io/mapped_file.h"
#include "core/io/npy.h"
#include "core/io/quote.h"
#include "core/io/zip.h"

namespace attnscope {
namespace {

using Bytes = std::span<const std::byte>;

Error damaged(const std::string& what, const std::string& sentence) {
  return fail(Code::bad_format, what + ": " + sentence, "The archive is damaged or cut off: save it again.");
}

template <class T>
T value_at(Bytes bytes, std::size_t at) {
  CHECK(at <= bytes.size() && sizeof(T) <= bytes.size() - at);
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

std::uint16_t u16(Bytes bytes, std::size_t at) { return value_at<std::uint16_t>(bytes, at); }
std::uint32_t u32(Bytes bytes, std::size_t at) { return value_at<std::uint32_t>(bytes, at); }

// Where the last record begins: it ends the file but for a comment of at most 65,535 bytes.
std::optional<std::size_t> find_end(Bytes bytes) {
  if (bytes.size() < zip::kEndBytes) return std::nullopt;
  const std::size_t last = bytes.size() - zip::kEndBytes;
  for (std::size_t back = 0; back <= std::min<std::size_t>(last, 0xFFFF); ++back)
    if (u32(bytes, last - back) == zip::kEnd && u16(bytes, last - back + 20) == back) return last - back;
  return std::nullopt;
}

// One line of the directory.
struct Line {
  std::string name;
  std::uint16_t method = 0, flags = 0;
  std::uint32_t crc = 0, packed = 0, bytes = 0, offset = 0;
};

// Reads the line at `at` and moves `at` past it; nothing when it does not fit.
std::optional<Line> read_line(Bytes bytes, std::size_t& at) {
  if (at > bytes.size() || bytes.size() - at < zip::kCentralBytes || u32(bytes, at) != zip::kCentral)
    return std::nullopt;
  Line line;
  line.flags = u16(bytes, at + 8);
  line.method = u16(bytes, at + 10);
  line.crc = u32(bytes, at + 16);
  line.packed = u32(bytes, at + 20);
  line.bytes = u32(bytes, at + 24);
  line.offset = u32(bytes, at + 42);
  const std::size_t name = u16(bytes, at + 28), rest = std::size_t{u16(bytes, at + 30)} + u16(bytes, at + 32);
  at += zip::kCentralBytes;
  if (bytes.size() - at < name + rest) return std::nullopt;
  line.name.assign(reinterpret_cast<const char*>(bytes.data()) + at, name);
  at += name + rest;
  return line;
}

Status check_kind(const Line& line, const std::string& what) {
  const std::string member = "member " + in_quotes(line.name) + " ";
  if ((line.flags & 1) != 0)
    return fail(Code::unsupported, what + ": " + member + "is encrypted.", "Save it with numpy.savez.");
  if (line.method != 0)
    return fail(Code::unsupported, what + ": " + member + "is compressed.",
                "Save it with numpy.savez instead of numpy.savez_compressed.");
  if (line.packed >= zip::kLimit || line.bytes >= zip::kLimit || line.offset >= zip::kLimit)
    return fail(Code::unsupported, what + ": " + member + "uses the 64-bit form of zip (over 4 GB).",
                "Save it as .safetensors.");
  if (line.packed != line.bytes) return damaged(what, member + "is stored, but gives two different sizes.");
  return Done{};
}

// The contents of a member: behind its local header, whose own name and extra field come first.
Result<Bytes> contents(Bytes bytes, const Line& line, const std::string& what) {
  const std::string member = "member " + in_quotes(line.name) + " ";
  if (line.offset > bytes.size() || bytes.size() - line.offset < zip::kLocalBytes ||
      u32(bytes, line.offset) != zip::kLocal)
    return damaged(what, member + "is not where the directory says.");
  const std::size_t skip = zip::kLocalBytes + u16(bytes, std::size_t{line.offset} + 26) +
                           u16(bytes, std::size_t{line.offset} + 28);
  const std::size_t room = bytes.size() - line.offset;
  if (skip > room || line.bytes > room - skip)
    return damaged(what, member + "reaches past the end of the file.");
  const Bytes inside = bytes.subspan(line.offset + skip, line.bytes);
  if (zip::crc32(inside) != line.crc) return damaged(what, member + "does not match its checksum.");
  return inside;
}

std::string array_name(const std::string& member) {
  return ends_with(member, ".npy") ? member.substr(0, member.size() - 4) : member;
}

}  // namespace

Result<std::shared_ptr<TensorSource>> read_npz_bytes(std::shared_ptr<const void> owner, Bytes bytes,
                                                     const std::string& what) {
  const auto end = find_end(bytes);
  if (!end) return damaged(what, "this is no zip archive, or its end is missing.");
  const std::size_t members = u16(bytes, *end + 10);
  std::size_t at = u32(bytes, *end + 16);
  std::uint64_t total = 0;
  std::vector<TensorInfo> infos;
  for (std::size_t i = 0; i < members; ++i) {
    const auto line = read_line(bytes.first(*end), at);
    if (!line) return damaged(what, format("its directory breaks off after %zu of %zu members.", i, members));
    TRY_OK(check_kind(*line, what));
    total += line->bytes;
    if (total > bytes.size()) return damaged(what, "its members together are larger than the file.");
    TRY(const Bytes inside, contents(bytes, *line, what));
    TRY(TensorInfo info, parse_npy(inside, array_name(line->name), what));
    info.offset += static_cast<std::uint64_t>(inside.data() - bytes.data());
    infos.push_back(std::move(info));
  }
  return std::shared_ptr<TensorSource>(
      std::make_shared<BytesSource>(std::move(owner), bytes, what, std::move(infos)));
}

Result<std::shared_ptr<TensorSource>> read_npz(const std::string& path) {
  TRY(const auto file, MappedFile::open(path));
  return read_npz_bytes(file, file->bytes(), in_quotes(path, 400));
}

}  // namespace attnscope
