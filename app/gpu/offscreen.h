// A framebuffer object to draw into instead of the window: for screenshots, exports and tests. Needs a
// current GL context as long as it lives.
#pragma once

#include <memory>

#include "app/gpu/image_file.h"
#include "core/base/no_copy.h"
#include "core/base/result.h"

namespace attnscope {

class Offscreen : NoCopy {
 public:
  /// width x height pixels. Errors: larger than the driver allows.
  static Result<std::unique_ptr<Offscreen>> make(int width, int height);
  ~Offscreen();

  unsigned framebuffer() const { return framebuffer_; }
  /// Texture with its pixels, bottom row first.
  unsigned texture() const { return colour_; }
  int width() const { return width_; }
  int height() const { return height_; }
  /// The pixels, with alpha 255.
  Image read() const;

 private:
  Offscreen(int width, int height) : width_(width), height_(height) {}
  int width_, height_;
  unsigned framebuffer_ = 0, colour_ = 0;
};

/// The pixels of a framebuffer (0 = the window's back buffer), top row first, opaque.
Image read_framebuffer(unsigned framebuffer, int width, int height);

}  // namespace attnscope
