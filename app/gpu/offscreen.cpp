// A framebuffer object with one RGBA8 texture.
#include "app/gpu/offscreen.h"

#include <glad/gl.h>

#include <algorithm>
#include <string>

namespace attnscope {

Result<std::unique_ptr<Offscreen>> Offscreen::make(int width, int height) {
  GLint largest = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest);
  if (width < 1 || height < 1 || width > largest || height > largest) {
    const std::string size = std::to_string(width) + " x " + std::to_string(height);
    return fail(Code::out_of_range, "error.gpu.picture_size", {size, largest});
  }
  std::unique_ptr<Offscreen> target(new Offscreen(width, height));
  glGenTextures(1, &target->colour_);
  glBindTexture(GL_TEXTURE_2D, target->colour_);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glBindTexture(GL_TEXTURE_2D, 0);
  glGenFramebuffers(1, &target->framebuffer_);
  glBindFramebuffer(GL_FRAMEBUFFER, target->framebuffer_);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target->colour_, 0);
  const bool complete = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  if (!complete) return fail(Code::unsupported, "error.gpu.no_offscreen");
  return target;
}

Offscreen::~Offscreen() {
  glDeleteFramebuffers(1, &framebuffer_);
  glDeleteTextures(1, &colour_);
}

Image Offscreen::read() const { return read_framebuffer(framebuffer_, width_, height_); }

Image read_framebuffer(unsigned framebuffer, int width, int height) {
  Image image{width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(width) * height * 4)};
  glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
  glReadBuffer(framebuffer != 0 ? GL_COLOR_ATTACHMENT0 : GL_BACK);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, image.rgba.data());
  const std::size_t row = static_cast<std::size_t>(width) * 4;
  for (int y = 0; y < height / 2; ++y) {  // OpenGL's rows are bottom-up
    std::uint8_t* upper = image.rgba.data() + row * y;
    std::swap_ranges(upper, upper + row, image.rgba.data() + row * (height - 1 - y));
  }
  for (std::size_t at = 3; at < image.rgba.size(); at += 4) image.rgba[at] = 255;  // blending lowers alpha
  return image;
}

}  // namespace attnscope
