#include "core/io/image.h"

// clang-format off
#include <cstdio>  // needed by jpeglib.h, which does not include it
#include <jpeglib.h>
// clang-format on
#include <jerror.h>
#include <png.h>

#include <csetjmp>
#include <filesystem>
#include <new>

#include "core/base/text.h"
#include "core/system/mapped_file.h"

namespace attnscope {
namespace {

constexpr std::uint64_t kMostImageBytes = std::uint64_t{64} << 20;
constexpr int kMostImageSide = 16384;
constexpr std::int64_t kMostImagePixels = std::int64_t{64} << 20;
constexpr int kMostScans = 100;  // of a JPEG: each costs as much as the whole picture

using ImageBytes = std::vector<std::uint8_t>;

Error broken(const std::string& what, const Text& why) {
  return fail(Code::bad_format, "error.io.picture", {what, why});
}

// The libraries' own messages are not shown: the error distinguishes only damaged and missing bytes.
Text why_not(bool cut_off) {
  return Text::of(cut_off ? "error.io.picture.cut_off" : "error.io.picture.damaged");
}
Text why_not_png(const png_image& image) {
  return why_not(std::string_view(image.message).find("beyond end") != std::string_view::npos);
}

Status check_size(const std::string& what, std::int64_t width, std::int64_t height) {
  if (width >= 1 && height >= 1 && width <= kMostImageSide && height <= kMostImageSide &&
      width * height <= kMostImagePixels)
    return Done{};
  return fail(Code::out_of_range, "error.io.picture.size", {what, width, height, kMostImageSide});
}

Picture picture(std::int64_t width, std::int64_t height, ImageBytes rgb) {
  return {static_cast<int>(width),
          static_cast<int>(height),
          std::make_shared<const ImageBytes>(std::move(rgb)),
          {}};
}

// ---- PNG -------------------------------------------------------------------------------------------------

// RGBA on white, without the fourth.
ImageBytes on_white(const ImageBytes& rgba) {
  ImageBytes rgb(rgba.size() / 4 * 3);
  for (std::size_t i = 0; i < rgba.size() / 4; ++i) {
    const int alpha = rgba[i * 4 + 3];
    for (std::size_t c = 0; c < 3; ++c)
      rgb[i * 3 + c] = static_cast<std::uint8_t>((rgba[i * 4 + c] * alpha + 255 * (255 - alpha) + 127) / 255);
  }
  return rgb;
}

// Width and height as the head says them, before libpng refuses sizes of its own.
Status check_png_size(const std::string& bytes, const std::string& what) {
  constexpr std::size_t kWidthAt = 16, kHeightAt = 20, kHead = 24;
  if (bytes.size() < kHead) return Done{};
  const auto number = [&](std::size_t at) {
    std::uint32_t out = 0;
    for (std::size_t i = 0; i < 4; ++i) out = out << 8 | static_cast<std::uint8_t>(bytes[at + i]);
    return static_cast<std::int64_t>(out);
  };
  return check_size(what, number(kWidthAt), number(kHeightAt));
}

Result<Picture> read_png(const std::string& bytes, const std::string& what) {
  TRY_OK(check_png_size(bytes, what));
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  const std::unique_ptr<png_image, decltype(&png_image_free)> guard(&image, png_image_free);
  if (!png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()))
    return broken(what, why_not_png(image));
  TRY_OK(check_size(what, image.width, image.height));
  image.format = PNG_FORMAT_RGBA;
  image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
  ImageBytes rgba(PNG_IMAGE_SIZE(image));
  if (!png_image_finish_read(&image, nullptr, rgba.data(), 0, nullptr))
    return broken(what, why_not_png(image));
  return picture(image.width, image.height, on_white(rgba));
}

// ---- JPEG ------------------------------------------------------------------------------------------------

// libjpeg reports by a jump, which must not pass over anything that has a destructor: the functions between
// setjmp and the library hold plain values only.
struct JpegReader {
  jpeg_decompress_struct info{};
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  std::jmp_buf back{};
  bool started = false, cut_off = false, too_many_scans = false;

  Text why() const {
    return too_many_scans ? Text::of("error.io.picture.scans", {kMostScans}) : why_not(cut_off);
  }

  ~JpegReader() {
    if (started) jpeg_destroy_decompress(&info);
  }
};

JpegReader& reader_of(j_common_ptr info) { return *static_cast<JpegReader*>(info->client_data); }

[[noreturn]] void jump_back(j_common_ptr info) { std::longjmp(reader_of(info).back, 1); }

// Bytes that are missing are an error; other oddities are passed over, as every program does.
void on_message(j_common_ptr info, int level) {
  if (level >= 0 || info->err->msg_code != JWRN_JPEG_EOF) return;
  reader_of(info).cut_off = true;
  jump_back(info);
}

void on_progress(j_common_ptr info) {
  JpegReader& reader = reader_of(info);
  if (reader.info.input_scan_number <= kMostScans) return;
  reader.too_many_scans = true;
  std::longjmp(reader.back, 1);
}

bool begin_jpeg(JpegReader& reader, const std::string& bytes) {
  reader.info.err = jpeg_std_error(&reader.errors);
  reader.errors.error_exit = jump_back;
  reader.errors.emit_message = on_message;
  reader.info.client_data = &reader;
  if (setjmp(reader.back)) return false;
  jpeg_create_decompress(&reader.info);
  reader.started = true;
  reader.progress.progress_monitor = on_progress;
  reader.info.progress = &reader.progress;
  jpeg_mem_src(&reader.info, reinterpret_cast<const unsigned char*>(bytes.data()),
               static_cast<unsigned long>(bytes.size()));
  jpeg_read_header(&reader.info, TRUE);
  return true;
}

// Rows of 3 bytes, or of 4 where the colours are those of print; `rows` has room for 4.
bool finish_jpeg(JpegReader& reader, unsigned char* rows) {
  if (setjmp(reader.back)) return false;
  const bool print = reader.info.jpeg_color_space == JCS_CMYK || reader.info.jpeg_color_space == JCS_YCCK;
  reader.info.out_color_space = print ? JCS_CMYK : JCS_RGB;
  jpeg_start_decompress(&reader.info);
  while (reader.info.output_scanline < reader.info.output_height) {
    JSAMPROW row = rows + std::size_t{reader.info.output_scanline} * reader.info.output_width *
                              static_cast<std::size_t>(reader.info.output_components);
    jpeg_read_scanlines(&reader.info, &row, 1);
  }
  return true;  // data behind the last row, even a missing end mark, does not matter
}

// Cyan, magenta, yellow and black to RGB; Adobe stores them the other way round.
ImageBytes from_print(const ImageBytes& cmyk, bool inverted) {
  ImageBytes rgb(cmyk.size() / 4 * 3);
  const auto light = [&](std::uint8_t ink) { return inverted ? ink : 255 - ink; };
  for (std::size_t i = 0; i < cmyk.size() / 4; ++i)
    for (std::size_t c = 0; c < 3; ++c)
      rgb[i * 3 + c] = static_cast<std::uint8_t>(light(cmyk[i * 4 + c]) * light(cmyk[i * 4 + 3]) / 255);
  return rgb;
}

Result<Picture> read_jpeg(const std::string& bytes, const std::string& what) {
  JpegReader reader;
  if (!begin_jpeg(reader, bytes)) return broken(what, reader.why());
  const std::int64_t width = reader.info.image_width, height = reader.info.image_height;
  TRY_OK(check_size(what, width, height));
  ImageBytes rows(static_cast<std::size_t>(width * height) * 4);
  if (!finish_jpeg(reader, rows.data())) return broken(what, reader.why());
  if (reader.info.output_components == 4)
    return picture(width, height, from_print(rows, reader.info.saw_Adobe_marker));
  rows.resize(static_cast<std::size_t>(width * height) * 3);
  return picture(width, height, std::move(rows));
}

}  // namespace

Result<Picture> picture_from_bytes(const std::string& bytes, const std::string& what) {
  if (bytes.size() > kMostImageBytes) {
    return fail(Code::unsupported, "error.io.picture.bytes", {what, bytes.size()});
  }
  try {
    if (starts_with(bytes, "\x89PNG")) return read_png(bytes, what);
    if (starts_with(bytes, "\xff\xd8")) return read_jpeg(bytes, what);
    return broken(what, Text::of("error.io.picture.neither"));
  } catch (const std::bad_alloc&) {
    return fail(Code::no_memory, "error.io.picture.memory", {what});
  }
}

Result<Picture> open_picture(const std::string& path) {
  TRY(const std::string bytes, read_file(path, kMostImageBytes));
  if (bytes.empty()) return broken(quoted_path(path), Text::of("error.io.picture.empty"));
  TRY(Picture read, picture_from_bytes(bytes, quoted_path(path)));
  read.name = std::filesystem::path(path).filename().string();
  return read;
}

}  // namespace attnscope
