#include "core/io/image.h"

// stb does the decoding; it lives in libstb, so no implementation macro here.
#include <stb_image.h>

#include <filesystem>

#include "core/base/text.h"
#include "core/io/mapped_file.h"

namespace attnscope {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;
constexpr int kMostSide = 16384;
constexpr std::int64_t kMostPixels = std::int64_t{64} << 20;

Error broken(const std::string& what, const char* why) {
  return fail(Code::bad_format, format("%s cannot be read as a picture: %s.", what.c_str(), why),
              "Save it anew as PNG or JPEG.");
}

}  // namespace

Result<Picture> picture_from_bytes(const std::string& bytes, const std::string& what) {
  const auto* data = reinterpret_cast<const stbi_uc*>(bytes.data());
  const int size = static_cast<int>(bytes.size());
  int width = 0, height = 0, channels = 0;
  if (bytes.size() > kMostBytes || !stbi_info_from_memory(data, size, &width, &height, &channels))
    return broken(what, "it is neither a PNG nor a JPEG");
  if (width < 1 || height < 1 || width > kMostSide || height > kMostSide ||
      std::int64_t{width} * height > kMostPixels) {
    return fail(Code::out_of_range, format("%s would be %d x %d pixels large.", what.c_str(), width, height),
                format("Pictures have up to %d pixels along a side and 64 million in all.", kMostSide));
  }
  const std::unique_ptr<stbi_uc, decltype(&stbi_image_free)> pixels(
      stbi_load_from_memory(data, size, &width, &height, &channels, 4), stbi_image_free);
  if (!pixels) return broken(what, stbi_failure_reason());
  auto rgb = std::make_shared<std::vector<std::uint8_t>>();
  const std::size_t count = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  rgb->reserve(count * 3);
  for (std::size_t i = 0; i < count; ++i) {
    const int alpha = pixels.get()[i * 4 + 3];
    for (std::size_t c = 0; c < 3; ++c)
      rgb->push_back(
          static_cast<std::uint8_t>((pixels.get()[i * 4 + c] * alpha + 255 * (255 - alpha) + 127) / 255));
  }
  return Picture{width, height, std::move(rgb), {}};
}

Result<Picture> open_picture(const std::string& path) {
  TRY(const std::string bytes, read_file(path, kMostBytes));
  TRY(Picture picture, picture_from_bytes(bytes, path));
  picture.name = std::filesystem::path(path).filename().string();
  return picture;
}

}  // namespace attnscope
