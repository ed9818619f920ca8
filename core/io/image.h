// Pictures: PNG and JPEG files to rows of RGB bytes. Errors: unsupported and out_of_range for files and
// dimensions beyond the limits, bad_format for broken files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace attnscope {

/// RGB, eight bits each, row by row from the top. Immutable and shared, like tensors.
struct Picture {
  int width = 0, height = 0;
  std::shared_ptr<const std::vector<std::uint8_t>> rgb;  ///< width * height * 3
  std::string name;                                      ///< the file's name, or empty for a drawn one
  bool empty() const { return !rgb || rgb->empty(); }
};

/// A PNG or JPEG file. Transparent parts are blended with white.
Result<Picture> open_picture(const std::string& path);
/// A file's bytes; `what` is its name in errors.
Result<Picture> picture_from_bytes(const std::string& bytes, const std::string& what);

}  // namespace attnscope
