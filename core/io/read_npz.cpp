// .npz reader: finds the directory at the end of the zip, checks every member against the file and its CRC.
// Stored members are read where they lie; deflated ones are expanded into memory of their own, large ones
// when they are loaded.
#include <algorithm>
#include <cstring>
#include <map>
#include <new>
#include <optional>

#include "core/base/text.h"
#include "core/io/inflate.h"
#include "core/io/npy.h"
#include "core/io/zip.h"
#include "core/system/mapped_file.h"
#include "core/system/places.h"

namespace attnscope {
namespace {

using ReadNpzBytes = std::span<const std::byte>;

Error read_npz_damaged(const std::string& what, const Text& sentence) {
  return fail(Code::bad_format, "error.io.zip", {what, sentence});
}

template <class T>
T value_at(ReadNpzBytes bytes, std::size_t at) {
  CHECK(at <= bytes.size() && sizeof(T) <= bytes.size() - at);
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

std::uint16_t u16(ReadNpzBytes bytes, std::size_t at) { return value_at<std::uint16_t>(bytes, at); }
std::uint32_t u32(ReadNpzBytes bytes, std::size_t at) { return value_at<std::uint32_t>(bytes, at); }
std::uint64_t u64(ReadNpzBytes bytes, std::size_t at) { return value_at<std::uint64_t>(bytes, at); }

// Where the last record begins: it ends the file but for a comment of at most 65,535 bytes.
std::optional<std::size_t> find_end(ReadNpzBytes bytes) {
  if (bytes.size() < zip::kEndBytes) return std::nullopt;
  const std::size_t last = bytes.size() - zip::kEndBytes;
  for (std::size_t back = 0; back <= std::min<std::size_t>(last, 0xFFFF); ++back)
    if (u32(bytes, last - back) == zip::kEnd && u16(bytes, last - back + 20) == back) return last - back;
  return std::nullopt;
}

// Where the directory begins and how many members it has; archives of more than 4 GB have a record of
// 64-bit numbers, which a locator in front of the last record points at.
struct Directory {
  std::uint64_t members = 0, offset = 0;
};
Directory find_directory(ReadNpzBytes bytes, std::size_t end) {
  constexpr std::uint32_t kLocator64 = 0x07064b50, kEnd64 = 0x06064b50;
  constexpr std::size_t kLocatorBytes = 20, kEnd64Bytes = 56;
  const Directory found{u16(bytes, end + 10), u32(bytes, end + 16)};
  if (end < kLocatorBytes || u32(bytes, end - kLocatorBytes) != kLocator64) return found;
  const std::uint64_t at = u64(bytes, end - kLocatorBytes + 8);
  if (at > end || end - at < kEnd64Bytes || u32(bytes, at) != kEnd64) return found;
  return {u64(bytes, at + 32), u64(bytes, at + 48)};
}

// One line of the directory.
struct NpzLine {
  std::string name;
  std::uint16_t method = 0, flags = 0;
  std::uint32_t crc = 0;
  std::uint64_t packed = 0, bytes = 0, offset = 0;
};

// Numbers too large for their 32 bits stand in the extra field 1, in this order. False: they do not.
bool read_large_numbers(ReadNpzBytes extra, NpzLine& line) {
  std::size_t at = 0;
  while (extra.size() - at >= 4 && u16(extra, at) != 1)
    at += std::min<std::size_t>(4 + u16(extra, at + 2), extra.size() - at);
  const std::size_t have =
      extra.size() - at >= 4 ? std::min<std::size_t>(u16(extra, at + 2), extra.size() - at - 4) : 0;
  std::size_t used = 0;
  for (std::uint64_t* number : {&line.bytes, &line.packed, &line.offset}) {
    if (*number != zip::kLimit) continue;
    if (have - used < 8) return false;
    *number = u64(extra, at + 4 + used);
    used += 8;
  }
  return true;
}

// Reads the line at `at` and moves `at` past it; nothing when it does not fit.
std::optional<NpzLine> read_line(ReadNpzBytes bytes, std::size_t& at) {
  if (at >= bytes.size() || bytes.size() - at < zip::kCentralBytes || u32(bytes, at) != zip::kCentral)
    return std::nullopt;
  NpzLine line;
  line.flags = u16(bytes, at + 8);
  line.method = u16(bytes, at + 10);
  line.crc = u32(bytes, at + 16);
  line.packed = u32(bytes, at + 20);
  line.bytes = u32(bytes, at + 24);
  line.offset = u32(bytes, at + 42);
  const std::size_t name = u16(bytes, at + 28), extra = u16(bytes, at + 30), comment = u16(bytes, at + 32);
  at += zip::kCentralBytes;
  if (bytes.size() - at < name + extra + comment) return std::nullopt;
  line.name.assign(reinterpret_cast<const char*>(bytes.data()) + at, name);
  if (!read_large_numbers(bytes.subspan(at + name, extra), line)) return std::nullopt;
  at += name + extra + comment;
  return line;
}

constexpr unsigned kStored = 0, kDeflated = 8;

Error too_large(const std::string& what, std::uint64_t bytes) {
  return fail(Code::no_memory, "error.io.zip.memory", {what, format_bytes(bytes)});
}

Status check_kind(const NpzLine& line, const std::string& what) {
  const std::string member = in_quotes(line.name);
  if ((line.flags & 1) != 0) return fail(Code::unsupported, "error.io.zip.encrypted", {what, member});
  if (line.method != kStored && line.method != kDeflated)
    return fail(Code::unsupported, "error.io.zip.method", {what, member, line.method});
  if (line.method == kStored && line.packed != line.bytes)
    return read_npz_damaged(what, Text::of("error.io.zip.two_sizes", {member}));
  if (line.method == kDeflated && line.bytes / kMostDeflated > line.packed)
    return read_npz_damaged(what, Text::of("error.io.zip.expands", {member}));
  return Done{};
}

// A member as it lies in the file: behind its local header, whose own name and extra field come first.
Result<ReadNpzBytes> stored_bytes(ReadNpzBytes bytes, const NpzLine& line, const std::string& what) {
  const std::string member = in_quotes(line.name);
  if (line.offset > bytes.size() || bytes.size() - line.offset < zip::kLocalBytes ||
      u32(bytes, line.offset) != zip::kLocal)
    return read_npz_damaged(what, Text::of("error.io.zip.place", {member}));
  const std::size_t skip = zip::kLocalBytes + u16(bytes, line.offset + 26) + u16(bytes, line.offset + 28);
  const std::size_t room = bytes.size() - line.offset;
  if (skip > room || line.packed > room - skip)
    return read_npz_damaged(what, Text::of("error.io.zip.past_end", {member}));
  return bytes.subspan(line.offset + skip, line.packed);
}

// The contents of a member, which `owner` keeps alive where they lie in the file.
Result<OwnedBytes> contents(const OwnedBytes& file, const NpzLine& line, const std::string& what) {
  const std::string member = in_quotes(line.name);
  TRY(const ReadNpzBytes packed, stored_bytes(file.bytes, line, what));
  OwnedBytes out{file.owner, packed};
  if (line.method == kDeflated) {
    try {
      auto expanded = inflated(packed, line.bytes);
      if (!expanded) return read_npz_damaged(what, Text::of("error.io.zip.expand", {member}));
      out = *std::move(expanded);
    } catch (const std::bad_alloc&) {
      return too_large(what, line.bytes);
    }
  }
  if (crc32_of(out.bytes) != line.crc)
    return read_npz_damaged(what, Text::of("error.io.zip.checksum", {member}));
  return out;
}

// A deflated member of which only the header was expanded; each load expands it.
class DeflatedSource final : public TensorSource {
 public:
  DeflatedSource(OwnedBytes file, NpzLine line, std::string what, TensorInfo info)
      : file_(std::move(file)), line_(std::move(line)), what_(std::move(what)), infos_{std::move(info)} {}
  const std::vector<TensorInfo>& infos() const override { return infos_; }
  const TensorInfo* find(std::string_view name) const override {
    return name == infos_.front().name ? infos_.data() : nullptr;
  }
  Result<Tensor> load(std::string_view name) const override {
    TRY(const BytesSource values, expanded());
    return values.load(name);
  }
  Result<std::vector<std::int64_t>> load_ints(std::string_view name) const override {
    TRY(const BytesSource values, expanded());
    return values.load_ints(name);
  }
  const std::map<std::string, std::string>& metadata() const override { return none_; }

 private:
  Result<BytesSource> expanded() const {
    TRY(const OwnedBytes inside, contents(file_, line_, what_));
    return BytesSource(inside.owner, inside.bytes, what_, infos_);
  }
  OwnedBytes file_;
  NpzLine line_;
  std::string what_;
  std::vector<TensorInfo> infos_;
  std::map<std::string, std::string> none_;
};

std::string array_name(const std::string& member) {
  return ends_with(member, ".npy") ? member.substr(0, member.size() - 4) : member;
}

// What a member holds, with every check but for the checksum of a large deflated one.
Result<std::shared_ptr<TensorSource>> member_source(const OwnedBytes& file, const NpzLine& line,
                                                    const std::string& what) {
  constexpr std::uint64_t kAtOnce = 1 << 20;       // expanded
  constexpr std::size_t kHeader = (1 << 16) + 16;  // version 1 has at most 65,535 bytes of text
  const std::string name = array_name(line.name);
  if (line.method == kDeflated && line.bytes > kAtOnce) {
    TRY(const ReadNpzBytes packed, stored_bytes(file.bytes, line, what));
    TRY(TensorInfo info, parse_npy(inflated_front(packed, kHeader), line.bytes, name, what));
    return std::shared_ptr<TensorSource>(std::make_shared<DeflatedSource>(file, line, what, std::move(info)));
  }
  TRY(const OwnedBytes inside, contents(file, line, what));
  TRY(TensorInfo info, parse_npy(inside.bytes, inside.bytes.size(), name, what));
  return std::shared_ptr<TensorSource>(std::make_shared<BytesSource>(
      inside.owner, inside.bytes, what, std::vector<TensorInfo>{std::move(info)}));
}

}  // namespace

Result<std::shared_ptr<TensorSource>> read_npz_bytes(std::shared_ptr<const void> owner, ReadNpzBytes bytes,
                                                     const std::string& what) {
  const auto end = find_end(bytes);
  if (!end) return read_npz_damaged(what, Text::of("error.io.zip.none"));
  const Directory directory = find_directory(bytes, *end);
  std::size_t at = directory.offset;
  std::uint64_t stored = 0, expanded = 0;
  std::vector<std::shared_ptr<TensorSource>> parts;
  std::map<std::string, std::size_t> owners;
  for (std::uint64_t i = 0; i < directory.members; ++i) {
    const auto line = read_line(bytes.first(*end), at);
    if (!line) return read_npz_damaged(what, Text::of("error.io.zip.directory", {i, directory.members}));
    TRY_OK(check_kind(*line, what));
    if (line->packed > bytes.size() - stored) return read_npz_damaged(what, Text::of("error.io.zip.members"));
    stored += line->packed;
    if (line->method == kDeflated) expanded += line->bytes;
    if (expanded > machine_memory() / 2) return too_large(what, expanded);
    TRY(auto part, member_source({owner, bytes}, *line, what));
    const std::string& name = part->infos().front().name;
    if (!owners.emplace(name, parts.size()).second)
      return read_npz_damaged(what, Text::of("error.io.zip.twice", {in_quotes(name)}));
    parts.push_back(std::move(part));
  }
  return std::shared_ptr<TensorSource>(std::make_shared<JoinedSource>(std::move(parts), owners, what));
}

Result<std::shared_ptr<TensorSource>> read_npz(const std::string& path) {
  TRY(const auto file, MappedFile::open(path));
  return read_npz_bytes(file, file->bytes(), quoted_path(path));
}

}  // namespace attnscope
