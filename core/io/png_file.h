// PNG (https://www.w3.org/TR/png-3): written from rows of pixels, with texts and a density; the texts of a
// file are found without decoding its pixels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

/// A text of an iTXt chunk. `keyword`: Latin letters, 1 to 79 bytes.
struct PngText {
  std::string keyword, text;
};

struct PngPixels {
  int width = 0, height = 0;
  bool alpha = false;               ///< four bytes a pixel instead of three
  std::vector<std::uint8_t> bytes;  ///< RGB or RGBA, not multiplied by alpha, from the top
};

/// `per_metre`: pixels, both ways; 0: not said.
std::string png_of(const PngPixels& pixels, const std::vector<PngText>& texts = {},
                   std::uint32_t per_metre = 0);
/// A part of an animated PNG (https://www.w3.org/TR/png-3, 11.3.7): laid over what stands there already.
struct PngFrame {
  PngPixels pixels;  ///< the first one: the whole picture
  int x = 0, y = 0;
  int hundredths = 10;  ///< of a second that it stands
};
/// Parts one after the other, over and over. Readers that know no animation show the first. A pixel that
/// stays as it is is written as a transparent one, which packs to nearly nothing.
class AnimatedPng {
 public:
  void add(const PngFrame& frame);
  std::string bytes(const std::vector<PngText>& texts = {}) const;

 private:
  PngPixels canvas_;  // what is seen after the last part: RGB
  std::string chunks_;
  std::uint32_t frames_ = 0, order_ = 0;
};
bool is_png(std::string_view bytes);
/// The first text with this keyword in a file of anybody's that is whole; nothing where there is none, it is
/// damaged, or it unpacks to more than `most` bytes. Of several at most 16 are tried, and no more than `most`
/// bytes of all.
std::optional<std::string> png_text(std::string_view png, std::string_view keyword, std::uint64_t most);

}  // namespace attnscope
