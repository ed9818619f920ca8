// stb does the coding; it lives in libstb, so no implementation macro here.
#include "app/gpu/image_file.h"

#include <stb_image.h>
#include <stb_image_write.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace attnscope {
namespace {

Error cannot_write(const std::string& path, const std::string& why) {
  return fail(Code::io_failed, "The picture " + path + " could not be written: " + why + ".",
              "Choose a folder that exists and may be written to.");
}

/// Writes the bytes and closes; the errno of what failed, or 0.
int write_bytes(const std::string& path, const void* bytes, std::size_t count) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return errno;
  int why = std::fwrite(bytes, 1, count, file) == count ? 0 : errno;
  if (std::fclose(file) != 0 && why == 0) why = errno;
  return why;
}

struct Free {
  void operator()(void* bytes) const { std::free(bytes); }
};

void append(void* out, void* bytes, int count) {
  auto& buffer = *static_cast<std::vector<std::uint8_t>*>(out);
  const auto* first = static_cast<const std::uint8_t*>(bytes);
  buffer.insert(buffer.end(), first, first + count);
}

}  // namespace

Status write_png(const std::string& path, const Image& image) {
  const std::size_t size = static_cast<std::size_t>(image.width) * image.height * 4;
  if (size == 0 || image.rgba.size() != size) return cannot_write(path, "it has no pixels");
  std::vector<std::uint8_t> png;
  const int stride = image.width * 4;
  if (stbi_write_png_to_func(append, &png, image.width, image.height, 4, image.rgba.data(), stride) == 0) {
    return cannot_write(path, "the encoder failed");
  }
  const std::string partial = path + ".part" + std::to_string(getpid());
  int why = write_bytes(partial, png.data(), png.size());
  if (why == 0 && std::rename(partial.c_str(), path.c_str()) != 0) why = errno;
  if (why == 0) return Done{};
  std::error_code ignored;
  std::filesystem::remove(partial, ignored);
  return cannot_write(path, std::strerror(why));
}

Result<Image> read_png(const std::string& path) {
  int width = 0, height = 0, channels = 0;
  constexpr int largest = 16384;
  if (stbi_info(path.c_str(), &width, &height, &channels) == 0 || width > largest || height > largest) {
    return fail(Code::bad_format, "The file " + path + " is not a picture that can be read.",
                "A PNG is expected.");
  }
  const std::unique_ptr<std::uint8_t, Free> pixels(stbi_load(path.c_str(), &width, &height, &channels, 4));
  if (!pixels) return fail(Code::bad_format, "The picture " + path + " is damaged.", "Write it again.");
  Image image{width, height, {}};
  image.rgba.assign(pixels.get(), pixels.get() + static_cast<std::size_t>(width) * height * 4);
  return image;
}

}  // namespace attnscope
