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

}  // namespace

std::string zlib_packed(std::string_view bytes) {
  z_stream stream{};
  if (deflateInit(&stream, Z_DEFAULT_COMPRESSION) != Z_OK) throw std::bad_alloc();
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
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) throw std::bad_alloc();
  std::string out;
  std::array<char, 1 << 16> room{};
  std::size_t read = 0;
  int verdict = Z_OK;
  while (verdict == Z_OK && out.size() <= most) {
    feed(stream, packed, read);
    stream.next_out = reinterpret_cast<Bytef*>(room.data());
    stream.avail_out = static_cast<uInt>(room.size());
    verdict = inflate(&stream, Z_NO_FLUSH);
    out.append(room.data(), room.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (verdict != Z_STREAM_END || out.size() > most) return std::nullopt;
  return out;
}

}  // namespace attnscope
