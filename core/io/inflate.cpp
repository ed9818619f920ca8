#include "core/io/inflate.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "core/base/no_copy.h"

namespace attnscope {
namespace {

constexpr std::uint64_t kInflatePiece = std::uint64_t{1} << 30;  // zlib counts in 32 bits

uInt piece(std::uint64_t left) { return static_cast<uInt>(std::min(left, kInflatePiece)); }

class Stream : NoCopy {
 public:
  Stream() : good_(::inflateInit2(&state_, -MAX_WBITS) == Z_OK) {}
  ~Stream() {
    if (good_) ::inflateEnd(&state_);
  }

  // True where all of `from` made all of `to`.
  bool run(std::span<const std::byte> from, std::span<std::byte> to) {
    begin(from, to);
    std::uint64_t read = 0, made = 0;
    for (int verdict = Z_OK; verdict == Z_OK;) {
      const uInt in = piece(from.size() - read), out = piece(to.size() - made);
      state_.avail_in = in;
      state_.avail_out = out;
      verdict = ::inflate(&state_, Z_NO_FLUSH);
      read += in - state_.avail_in;
      made += out - state_.avail_out;
      if (verdict == Z_STREAM_END) return read == from.size() && made == to.size();
    }
    return false;
  }

  // How many of the first bytes of `to` the first gigabyte of `from` makes.
  std::size_t front(std::span<const std::byte> from, std::span<std::byte> to) {
    begin(from, to);
    state_.avail_in = piece(from.size());
    const uInt room = state_.avail_out = piece(to.size());
    ::inflate(&state_, Z_SYNC_FLUSH);
    return room - state_.avail_out;
  }

 private:
  void begin(std::span<const std::byte> from, std::span<std::byte> to) {
    if (!good_) throw std::bad_alloc();
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(from.data()));  // zlib only reads it
    state_.next_out = reinterpret_cast<Bytef*>(to.data());
  }

  z_stream state_{};
  bool good_;
};

}  // namespace

std::optional<OwnedBytes> inflated(std::span<const std::byte> packed, std::uint64_t size) {
  if (size > packed.size() * kMostDeflated) return std::nullopt;
  // One byte more, so that an empty stream has somewhere to write.
  std::shared_ptr<std::byte[]> bytes(new std::byte[static_cast<std::size_t>(size) + 1]);
  const std::span<std::byte> to(bytes.get(), static_cast<std::size_t>(size));
  if (!Stream().run(packed, to)) return std::nullopt;
  return OwnedBytes{bytes, to};
}

std::vector<std::byte> inflated_front(std::span<const std::byte> packed, std::size_t most) {
  std::vector<std::byte> out(most);
  out.resize(Stream().front(packed, out));
  return out;
}

std::uint32_t crc32_of(std::span<const std::byte> bytes, std::uint32_t so_far) {
  if (bytes.empty()) return so_far;  // zlib would begin anew
  return static_cast<std::uint32_t>(
      ::crc32_z(so_far, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace attnscope
