// Widths of texts in the program's own typefaces (FreeType, without hinting), so that a figure is placed
// alike without a window. A typeface that is not installed is measured by a wide guess.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/figure/glyphs.h"

namespace attnscope::figure {

using Face = Typeface;

/// Ascent and descent of a line, in em.
inline constexpr float kAscent = 0.97f, kDescent = 0.24f, kLine = 1.32f;

class Measure {
 public:
  /// Pixels; `em`: size of the em square in pixels. Not thread-safe: widths of letters are kept.
  float width(std::string_view text, float em, Face face) const;
  /// The text, or as much of it as fits with "…" behind.
  std::string fitted(const std::string& text, float em, Face face, float room) const;
  /// Broken at blanks; a word wider than the room is broken between letters.
  std::vector<std::string> lines(const std::string& text, float em, Face face, float room) const;

 private:
  Glyphs letters_;
};

}  // namespace attnscope::figure
