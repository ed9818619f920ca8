#include "core/io/png_file.h"

#include <cstddef>
#include <span>

#include "core/io/deflate.h"
#include "core/io/inflate.h"

namespace attnscope {
namespace {

constexpr std::string_view kSignature("\x89PNG\r\n\x1a\n", 8);
constexpr std::size_t kFrame = 12;  // bytes of a chunk beside its data: length, name, checksum
constexpr char kUp = 2;             // filter of a row: differences to the row above

std::string big_endian(std::uint32_t number) {
  std::string out;
  for (const unsigned shift : {24u, 16u, 8u, 0u}) out.push_back(static_cast<char>(number >> shift & 0xffu));
  return out;
}
std::uint32_t number_at(std::string_view bytes, std::size_t at) {
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

// The data of an iTXt chunk.
std::optional<std::string> text_in(std::string_view data, std::string_view keyword, std::uint64_t most) {
  if (!data.starts_with(keyword) || data.size() < keyword.size() + 5 || data[keyword.size()] != '\0')
    return std::nullopt;
  const bool packed = data[keyword.size() + 1] == 1;
  std::size_t at = keyword.size() + 3;
  for (int words = 0; words < 2; ++words) {  // language, translated keyword
    at = data.find('\0', at);
    if (at == std::string_view::npos) return std::nullopt;
    ++at;
  }
  const std::string_view text = data.substr(at);
  if (packed) return zlib_unpacked(text, most);
  return text.size() > most ? std::nullopt : std::optional<std::string>(text);
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
  if (frames_++ == 0) first_ = {pixels.width, pixels.height, pixels.alpha, {}};
  std::string control = big_endian(order_++);
  for (const int number : {pixels.width, pixels.height, frame.x, frame.y})
    control += big_endian(static_cast<std::uint32_t>(number));
  control += big_endian(static_cast<std::uint32_t>(frame.hundredths) << 16u | 100u);
  put_chunk(chunks_, "fcTL", control + std::string(2, '\0'));  // stays, and takes the place of what was there
  const std::string data = zlib_packed(filtered(pixels));
  if (frames_ == 1)
    put_chunk(chunks_, "IDAT", data);
  else
    put_chunk(chunks_, "fdAT", big_endian(order_++) + data);
}

std::string AnimatedPng::bytes(const std::vector<PngText>& texts) const {
  std::string out(kSignature);
  put_chunk(out, "IHDR", header_of(first_.width, first_.height, first_.alpha));
  put_chunk(out, "acTL", big_endian(frames_) + big_endian(0));  // 0: over and over
  for (const PngText& text : texts) put_chunk(out, "iTXt", text_chunk(text));
  out += chunks_;
  put_chunk(out, "IEND", {});
  return out;
}

bool is_png(std::string_view bytes) { return bytes.starts_with(kSignature); }

std::optional<std::string> png_text(std::string_view png, std::string_view keyword, std::uint64_t most) {
  if (!is_png(png)) return std::nullopt;
  for (std::size_t at = kSignature.size(); at + kFrame <= png.size();) {
    const std::size_t length = number_at(png, at);
    if (length > png.size() - at - kFrame) return std::nullopt;
    const std::string_view body = png.substr(at + 4, length + 4);
    if (body.starts_with("iTXt") && number_at(png, at + 8 + length) == checksum(body))
      if (auto text = text_in(body.substr(4), keyword, most)) return text;
    at += length + kFrame;
  }
  return std::nullopt;
}

}  // namespace attnscope
