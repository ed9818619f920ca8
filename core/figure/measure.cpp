#include "core/figure/measure.h"

#include <freetype/freetype.h>

#include <array>
#include <unordered_map>

#include "core/base/text.h"

namespace attnscope::figure {
namespace {

constexpr float kUnknownLetter = 0.7f;  // em, where no typeface is installed
constexpr float kRounding = 0.05f;      // pixels: widths are sums of floats
constexpr const char* kEllipsis = "\xE2\x80\xA6";

}  // namespace

struct Measure::Faces {
  FT_Library library = nullptr;
  std::array<std::vector<FT_Face>, 3> faces;
  mutable std::array<std::unordered_map<char32_t, float>, 3> widths;  // em

  Faces() {
    if (FT_Init_FreeType(&library) != 0) return;
    for (const Face face : {Face::sans, Face::bold, Face::mono}) {
      for (const Script script : kScripts) {
        FT_Face opened = nullptr;
        if (FT_New_Face(library, typeface_file(face, script).c_str(), 0, &opened) == 0)
          faces[static_cast<std::size_t>(face)].push_back(opened);
      }
    }
  }
  Faces(const Faces&) = delete;
  Faces& operator=(const Faces&) = delete;
  ~Faces() {
    if (library) FT_Done_FreeType(library);
  }
  float advance(Face face, char32_t letter) const {
    auto& known = widths[static_cast<std::size_t>(face)];
    if (const auto found = known.find(letter); found != known.end()) return found->second;
    float out = kUnknownLetter;
    for (const FT_Face one : faces[static_cast<std::size_t>(face)]) {
      const FT_UInt glyph = FT_Get_Char_Index(one, letter);
      if (glyph == 0 || FT_Load_Glyph(one, glyph, FT_LOAD_NO_SCALE) != 0) continue;
      out = static_cast<float>(one->glyph->metrics.horiAdvance) / static_cast<float>(one->units_per_EM);
      break;
    }
    known.emplace(letter, out);
    return out;
  }
};

Measure::Measure() : faces_(std::make_unique<Faces>()) {}
Measure::~Measure() = default;

float Measure::width(std::string_view text, float em, Face face) const {
  float out = 0;
  for (std::size_t at = 0; at < text.size();) out += faces_->advance(face, next_code_point(text, at));
  return out * em;
}

std::string Measure::fitted(const std::string& text, float em, Face face, float room) const {
  if (width(text, em, face) <= room + kRounding) return text;
  const float dots = width(kEllipsis, em, face);
  float used = 0;
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size();) {
    used += faces_->advance(face, next_code_point(text, at)) * em;
    if (used + dots > room) break;
    end = at;
  }
  return text.substr(0, end) + kEllipsis;
}

std::vector<std::string> Measure::lines(const std::string& text, float em, Face face, float room) const {
  std::vector<std::string> out(1);
  float used = 0;
  const auto put = [&](std::string_view piece, float wide) { out.back() += piece, used += wide; };
  for (const std::string& word : split(text, ' ')) {
    const float blank = used > 0 ? width(" ", em, face) : 0, wide = width(word, em, face);
    if (used > 0 && used + blank + wide > room)
      out.emplace_back(), used = 0;
    else if (used > 0)
      put(" ", blank);
    if (wide <= room) {
      put(word, wide);
      continue;
    }
    for (std::size_t at = 0; at < word.size();) {
      const std::size_t begin = at;
      const float letter = faces_->advance(face, next_code_point(word, at)) * em;
      if (used > 0 && used + letter > room) out.emplace_back(), used = 0;
      put(std::string_view(word).substr(begin, at - begin), letter);
    }
  }
  return out;
}

}  // namespace attnscope::figure
