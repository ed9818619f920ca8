// Pictures on disk: PNG out and in. A file is written beside its name and renamed when it is complete, so
// that no reader ever sees half a picture. Refuses other formats.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace attnscope {

/// Pixels, top row first, 4 bytes each (red, green, blue, alpha).
struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgba;
  const std::uint8_t* at(int x, int y) const { return &rgba[4 * (static_cast<std::size_t>(y) * width + x)]; }
};

/// The bytes of a PNG. Fails when the picture is empty, or there is no memory for it.
Result<std::vector<std::uint8_t>> encode_png(const Image& image);
/// Writes a PNG. Fails when the folder is not there or not writable, or the picture is empty.
Status write_png(const std::string& path, const Image& image);
/// Reads a PNG. Fails on anything that is none, or larger than 16384 pixels a side.
Result<Image> read_png(const std::string& path);

}  // namespace attnscope
