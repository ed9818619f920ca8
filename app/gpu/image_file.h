// PNG files. Errors: any other format. A file is written under a temporary name and renamed when it is
// complete, so that no reader sees half a picture.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/io/png_file.h"

namespace attnscope {

/// Pixels, top row first, 4 bytes each (red, green, blue, alpha).
struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgba;
  const std::uint8_t* at(int x, int y) const { return &rgba[4 * (static_cast<std::size_t>(y) * width + x)]; }
};

/// The bytes of a PNG, with these texts in it. Errors: the picture is empty.
Result<std::string> encode_png(const Image& image, const std::vector<PngText>& texts = {});
/// Writes a PNG. Errors: the folder is missing or not writable, the picture is empty.
Status write_png(const std::string& path, const Image& image, const std::vector<PngText>& texts = {});
/// Reads a PNG. Errors: another format, more than 16384 pixels a side.
Result<Image> read_png(const std::string& path);

}  // namespace attnscope
