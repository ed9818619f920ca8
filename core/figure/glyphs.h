// Glyphs of the program's typefaces by FreeType: what texts are measured with, and drawn with where there is
// no window.
#pragma once

#include <array>
#include <unordered_map>
#include <vector>

#include "core/base/no_copy.h"
#include "core/figure/typefaces.h"

struct FT_FaceRec_;
struct FT_LibraryRec_;

namespace attnscope::figure {

struct Glyph {
  FT_FaceRec_* face = nullptr;  ///< null: no typeface is installed
  unsigned index = 0;           ///< 0: no typeface has the letter
  float advance = 0;            ///< em, without hinting; a wide guess where no typeface has the letter
};

class Glyphs : NoCopy {
 public:
  Glyphs();
  ~Glyphs();
  /// Of the first typeface that has the letter: Latin, signs, Hangul. Not thread-safe: glyphs are kept.
  Glyph glyph(Typeface face, char32_t letter) const;

 private:
  FT_LibraryRec_* library_ = nullptr;
  std::array<std::vector<FT_FaceRec_*>, 3> faces_;
  mutable std::array<std::unordered_map<char32_t, Glyph>, 3> known_;
};

}  // namespace attnscope::figure
