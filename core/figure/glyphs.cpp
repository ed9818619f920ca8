#include "core/figure/glyphs.h"

#include <freetype/freetype.h>

namespace attnscope::figure {
namespace {

constexpr float kUnknownLetter = 0.7f;  // em

}  // namespace

Glyphs::Glyphs() {
  if (FT_Init_FreeType(&library_) != 0) return;
  for (const Typeface face : {Typeface::sans, Typeface::bold, Typeface::mono}) {
    for (const Script script : kScripts) {
      FT_Face opened = nullptr;
      if (FT_New_Face(library_, typeface_file(face, script).c_str(), 0, &opened) == 0)
        faces_[static_cast<std::size_t>(face)].push_back(opened);
    }
  }
}

Glyphs::~Glyphs() {
  if (library_) FT_Done_FreeType(library_);
}

Glyph Glyphs::glyph(Typeface face, char32_t letter) const {
  auto& known = known_[static_cast<std::size_t>(face)];
  if (const auto found = known.find(letter); found != known.end()) return found->second;
  const auto& faces = faces_[static_cast<std::size_t>(face)];
  Glyph out{faces.empty() ? nullptr : faces.front(), 0, kUnknownLetter};
  for (const FT_Face one : faces) {
    const FT_UInt index = FT_Get_Char_Index(one, letter);
    if (index == 0 || FT_Load_Glyph(one, index, FT_LOAD_NO_SCALE) != 0) continue;
    out = {one, index,
           static_cast<float>(one->glyph->metrics.horiAdvance) / static_cast<float>(one->units_per_EM)};
    break;
  }
  known.emplace(letter, out);
  return out;
}

}  // namespace attnscope::figure
