// Pictures: PNG and JPEG files to rows of RGB bytes, within limits. Refuses files and dimensions that are too
// large to be meant, and broken files, with a sentence that says what is wrong.
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

/// A PNG or JPEG file. Transparent parts stand on white.
Result<Picture> open_picture(const std::string& path);
/// A file's bytes; `what` names it in errors.
Result<Picture> picture_from_bytes(const std::string& bytes, const std::string& what);

}  // namespace attnscope
