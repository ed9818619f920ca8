// PNG coding by stb, which is linked as libstb: no implementation macro here.
#include "app/gpu/image_file.h"

#include <stb_image.h>
#include <stb_image_write.h>

#include <cstdlib>
#include <memory>

#include "core/base/caught.h"
#include "core/base/text.h"
#include "core/system/atomic_file.h"

namespace attnscope {
namespace {

struct Free {
  void operator()(void* bytes) const { std::free(bytes); }
};

struct Coded {
  std::vector<std::uint8_t> bytes;
  Status status = Done{};
};

void append(void* out, void* bytes, int count) {
  auto& coded = *static_cast<Coded*>(out);
  const auto* first = static_cast<const std::uint8_t*>(bytes);
  const Status done =  // stb is C code: no exception may pass through it
      guarded(Text::of("error.work.picture"),
              [&] { coded.bytes.insert(coded.bytes.end(), first, first + count); });
  if (!done) coded.status = done;
}

}  // namespace

Result<std::vector<std::uint8_t>> encode_png(const Image& image) {
  const std::size_t size = static_cast<std::size_t>(image.width) * image.height * 4;
  if (size == 0 || image.rgba.size() != size) return fail(Code::io_failed, "error.gpu.picture.no_pixels");
  Coded png;
  const int stride = image.width * 4;
  if (stbi_write_png_to_func(append, &png, image.width, image.height, 4, image.rgba.data(), stride) == 0)
    return fail(Code::io_failed, "error.gpu.picture.encoder");
  TRY_OK(png.status);
  return std::move(png.bytes);
}

Status write_png(const std::string& path, const Image& image) {
  const auto png = encode_png(image);
  if (!png) return fail(Code::io_failed, "error.gpu.picture", {quoted_path(path), png.error().what});
  TRY(AtomicFile file, AtomicFile::create(path));
  file.write(png->data(), png->size());
  return file.commit();
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
