#include "core/io/png_file.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "core/io/deflate.h"
#include "core/io/inflate.h"

namespace attnscope {
namespace {

constexpr std::string_view kSignature("\x89PNG\r\n\x1a\n", 8);
constexpr std::size_t kFrame = 12;  // bytes of a chunk beside its data: length, name, checksum
constexpr int kSmallest = 9;        // effort of zlib
constexpr int kMostTexts = 16;      // with the keyword that are unpacked
constexpr char kUp = 2;             // filter of a row: differences to the row above

std::string big_endian(std::uint32_t number) {
  std::string out;
  for (const unsigned shift : {24u, 16u, 8u, 0u}) out.push_back(static_cast<char>(number >> shift & 0xffu));
  return out;
}
std::uint32_t big_endian_at(std::string_view bytes, std::size_t at) {
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < 4; ++i) out = out << 8u | static_cast<unsigned char>(bytes[at + i]);
  return out;
}
std::uint32_t checksum(std::string_view bytes) {
  return crc32_of(std::as_bytes(std::span(bytes.data(), bytes.size())));
}
void put_chunk(std::string& out, const std::string& name, std::string_view data) {
  const std::string body = name + std::string(data);
  out += big_endian(static_cast<std::uint32_t>(data.size())) + body + big_endian(checksum(body));
}

// Keyword, 0, compressed, zlib, no language, no translated keyword, text.
std::string text_chunk(const PngText& text) {
  std::string out = text.keyword;
  out.append(1, '\0').append(1, '\1').append(3, '\0');
  return out + zlib_packed(text.text);
}

// Rows with their filter in front.
std::string filtered(const PngPixels& pixels) {
  const std::size_t wide = static_cast<std::size_t>(pixels.width) * (pixels.alpha ? 4 : 3);
  std::string out;
  out.reserve((wide + 1) * static_cast<std::size_t>(pixels.height));
  for (std::size_t row = 0; row < static_cast<std::size_t>(pixels.height); ++row) {
    out.push_back(kUp);
    const std::uint8_t* at = pixels.bytes.data() + row * wide;
    for (std::size_t i = 0; i < wide; ++i)
      out.push_back(static_cast<char>(at[i] - (row > 0 ? *(at + i - wide) : 0)));
  }
  return out;
}

constexpr std::size_t kRgb = 3;

// The part of a row of a canvas that a frame lies on.
std::uint8_t* under(const PngFrame& frame, std::size_t row, PngPixels& canvas) {
  const std::size_t pixel =
      (static_cast<std::size_t>(frame.y) + row) * static_cast<std::size_t>(canvas.width);
  return canvas.bytes.data() + (pixel + static_cast<std::size_t>(frame.x)) * kRgb;
}
void lay_over(const PngFrame& frame, PngPixels& canvas) {
  const std::size_t wide = static_cast<std::size_t>(frame.pixels.width) * kRgb;
  for (std::size_t row = 0; row < static_cast<std::size_t>(frame.pixels.height); ++row)
    std::copy_n(frame.pixels.bytes.data() + row * wide, wide, under(frame, row, canvas));
}

// Rows of RGBA without a filter, which packs flat colours and letters best. Transparent: pixels that lie on
// the canvas already.
std::string changed_rows(const PngFrame& frame, PngPixels& canvas) {
  const auto wide = static_cast<std::size_t>(frame.pixels.width);
  std::string out;
  out.reserve((wide * (kRgb + 1) + 1) * static_cast<std::size_t>(frame.pixels.height));
  const std::uint8_t* now = frame.pixels.bytes.data();
  for (std::size_t row = 0; row < static_cast<std::size_t>(frame.pixels.height); ++row) {
    out.push_back(0);
    const std::uint8_t* before = canvas.bytes.empty() ? nullptr : under(frame, row, canvas);
    for (std::size_t i = 0; i < wide; ++i, now += kRgb) {
      const bool stays = before && std::equal(now, now + kRgb, before + i * kRgb);
      if (stays)
        out.append(kRgb + 1, '\0');
      else
        out.append(reinterpret_cast<const char*>(now), kRgb).push_back('\xff');
    }
  }
  return out;
}

// Whether the data of an iTXt chunk begin with the keyword and may be whole.
bool has_keyword(std::string_view data, std::string_view keyword) {
  return data.starts_with(keyword) && data.size() >= keyword.size() + 5 && data[keyword.size()] == '\0';
}

// The text of such a chunk; `left` as in zlib_unpacked_of.
std::optional<std::string> text_in(std::string_view data, std::string_view keyword, std::uint64_t& left) {
  const bool packed = data[keyword.size() + 1] == 1;
  std::size_t at = keyword.size() + 3;
  for (int words = 0; words < 2; ++words) {  // language, translated keyword
    at = data.find('\0', at);
    if (at == std::string_view::npos) return std::nullopt;
    ++at;
  }
  const std::string_view text = data.substr(at);
  if (packed) return zlib_unpacked_of(text, left);
  return text.size() > left ? std::nullopt : std::optional<std::string>(text);
}

std::string header_of(int width, int height, bool alpha) {
  return big_endian(static_cast<std::uint32_t>(width)) + big_endian(static_cast<std::uint32_t>(height)) +
         '\10' + (alpha ? '\6' : '\2') + std::string(3, '\0');
}

}  // namespace

std::string png_of(const PngPixels& pixels, const std::vector<PngText>& texts, std::uint32_t per_metre) {
  std::string out(kSignature);
  put_chunk(out, "IHDR", header_of(pixels.width, pixels.height, pixels.alpha));
  if (per_metre > 0) put_chunk(out, "pHYs", big_endian(per_metre) + big_endian(per_metre) + '\1');
  for (const PngText& text : texts) put_chunk(out, "iTXt", text_chunk(text));
  put_chunk(out, "IDAT", zlib_packed(filtered(pixels)));
  put_chunk(out, "IEND", {});
  return out;
}

void AnimatedPng::add(const PngFrame& frame) {
  const PngPixels& pixels = frame.pixels;
  const std::string data = zlib_packed(changed_rows(frame, canvas_), kSmallest);
  if (frames_++ == 0)
    canvas_ = pixels;
  else
    lay_over(frame, canvas_);
  std::string control = big_endian(order_++);
  for (const int number : {pixels.width, pixels.height, frame.x, frame.y})
    control += big_endian(static_cast<std::uint32_t>(number));
  control += big_endian(static_cast<std::uint32_t>(frame.hundredths) << 16u | 100u);
  put_chunk(chunks_, "fcTL", control + '\0' + '\1');  // it stays, and lies over what was there
  if (frames_ == 1)
    put_chunk(chunks_, "IDAT", data);
  else
    put_chunk(chunks_, "fdAT", big_endian(order_++) + data);
}

std::string AnimatedPng::bytes(const std::vector<PngText>& texts) const {
  std::string out(kSignature);
  put_chunk(out, "IHDR", header_of(canvas_.width, canvas_.height, true));
  put_chunk(out, "acTL", big_endian(frames_) + big_endian(0));  // 0: over and over
  for (const PngText& text : texts) put_chunk(out, "iTXt", text_chunk(text));
  out += chunks_;
  put_chunk(out, "IEND", {});
  return out;
}

bool is_png(std::string_view bytes) { return bytes.starts_with(kSignature); }

std::optional<std::string> png_text(std::string_view png, std::string_view keyword, std::uint64_t most) {
  if (!is_png(png)) return std::nullopt;
  std::uint64_t left = most;
  int tried = 0;
  for (std::size_t at = kSignature.size(); at + kFrame <= png.size() && tried < kMostTexts;) {
    const std::size_t length = big_endian_at(png, at);
    if (length > png.size() - at - kFrame) return std::nullopt;
    const std::string_view body = png.substr(at + 4, length + 4);
    if (body.starts_with("iTXt") && has_keyword(body.substr(4), keyword) &&
        big_endian_at(png, at + 8 + length) == checksum(body)) {
      ++tried;
      if (auto text = text_in(body.substr(4), keyword, left)) return text;
    }
    at += length + kFrame;
  }
  return std::nullopt;
}

}  // namespace attnscope
