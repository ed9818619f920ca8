#include "core/io/deflate.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <new>

namespace attnscope {
namespace {

constexpr std::size_t kFedAtOnce = std::size_t{1} << 30;  // zlib counts in 32 bits

template <class Stream>
void feed(Stream& stream, std::string_view bytes, std::size_t& read) {
  if (stream.avail_in > 0) return;
  const std::size_t piece = std::min(bytes.size() - read, kFedAtOnce);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + read));  // zlib only reads it
  stream.avail_in = static_cast<uInt>(piece);
  read += piece;
}

struct Unpacked {
  std::uint64_t bytes = 0;
  bool whole = false;
};

// Unpacks until the stream ends, is found damaged, or has given more than `most` bytes; keeps them in `out`,
// if any.
Unpacked unpack(std::string_view packed, std::uint64_t most, std::string* out) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) throw std::bad_alloc();
  Unpacked all;
  std::array<char, 1 << 16> room;
  std::size_t read = 0;
  int verdict = Z_OK;
  while (verdict == Z_OK && all.bytes <= most) {
    feed(stream, packed, read);
    stream.next_out = reinterpret_cast<Bytef*>(room.data());
    stream.avail_out = static_cast<uInt>(room.size());
    verdict = inflate(&stream, Z_NO_FLUSH);
    const std::size_t got = room.size() - stream.avail_out;
    all.bytes += got;
    if (out) out->append(room.data(), got);
  }
  inflateEnd(&stream);
  all.whole = verdict == Z_STREAM_END;
  return all;
}

}  // namespace

std::string zlib_packed(std::string_view bytes, int effort) {
  z_stream stream{};
  if (deflateInit(&stream, effort) != Z_OK) throw std::bad_alloc();
  std::string out;
  std::array<char, 1 << 16> room{};
  std::size_t read = 0;
  for (int verdict = Z_OK; verdict == Z_OK;) {
    feed(stream, bytes, read);
    stream.next_out = reinterpret_cast<Bytef*>(room.data());
    stream.avail_out = static_cast<uInt>(room.size());
    verdict = deflate(&stream, read == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    out.append(room.data(), room.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  return out;
}

std::optional<std::string> zlib_unpacked(std::string_view packed, std::uint64_t most) {
  return zlib_unpacked_of(packed, most);
}

std::optional<std::string> zlib_unpacked_of(std::string_view packed, std::uint64_t& left) {
  const Unpacked all = unpack(packed, left, nullptr);  // its size first: what is refused is never held
  const bool fits = all.whole && all.bytes <= left;
  left -= std::min(left, all.bytes);
  if (!fits) return std::nullopt;
  std::string out;
  out.reserve(all.bytes);
  unpack(packed, all.bytes, &out);
  return out;
}

}  // namespace attnscope
