// PNG is read by stb, which is linked as libstb: no implementation macro here.
#include "app/gpu/image_file.h"

#include <stb_image.h>

#include <cstdlib>
#include <memory>

#include "core/base/text.h"
#include "core/system/atomic_file.h"

namespace attnscope {
namespace {

struct Free {
  void operator()(void* bytes) const { std::free(bytes); }
};

// Without alpha where no pixel is seen through.
PngPixels pixels_of(const Image& image) {
  PngPixels out{image.width, image.height, false, {}};
  for (std::size_t at = 3; at < image.rgba.size() && !out.alpha; at += 4) out.alpha = image.rgba[at] != 255;
  if (out.alpha) {
    out.bytes = image.rgba;
    return out;
  }
  out.bytes.reserve(image.rgba.size() / 4 * 3);
  for (auto pixel = image.rgba.begin(); pixel != image.rgba.end(); pixel += 4)
    out.bytes.insert(out.bytes.end(), pixel, pixel + 3);
  return out;
}

}  // namespace

Result<std::string> encode_png(const Image& image, const std::vector<PngText>& texts) {
  const std::size_t size = static_cast<std::size_t>(image.width) * image.height * 4;
  if (size == 0 || image.rgba.size() != size) return fail(Code::io_failed, "error.gpu.picture.no_pixels");
  return png_of(pixels_of(image), texts);
}

Status write_png(const std::string& path, const Image& image, const std::vector<PngText>& texts) {
  const auto png = encode_png(image, texts);
  if (!png) return fail(Code::io_failed, "error.gpu.picture", {quoted_path(path), png.error().what()});
  return write_file(path, *png);
}

Result<Image> read_png(const std::string& path) {
  int width = 0, height = 0, channels = 0;
  constexpr int largest = 16384;
  if (stbi_info(path.c_str(), &width, &height, &channels) == 0 || width > largest || height > largest) {
    return fail(Code::bad_format, "error.gpu.no_picture", {quoted_path(path)});
  }
  const std::unique_ptr<std::uint8_t, Free> pixels(stbi_load(path.c_str(), &width, &height, &channels, 4));
  if (!pixels) return fail(Code::bad_format, "error.gpu.damaged_picture", {quoted_path(path)});
  Image image{width, height, {}};
  image.rgba.assign(pixels.get(), pixels.get() + static_cast<std::size_t>(width) * height * 4);
  return image;
}

}  // namespace attnscope
