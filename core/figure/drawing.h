// A placed figure as rectangles, lines and texts: what SVG, window and tests read. Colours by a palette.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/figure/place.h"

namespace attnscope::figure {

using Rgb = std::uint32_t;  ///< 0xRRGGBB

struct Palette {
  Rgb ground, panel, card, frame;
  std::array<Rgb, 8> inks;  ///< by Ink
  Rgb share_most, positive, negative, masked;
  Rgb ink(Ink ink) const { return inks[static_cast<std::size_t>(ink)]; }
  /// Colour of a value in -1 .. 1 (diverging) or 0 .. 1.
  Rgb heat(Scale scale, double value) const;
};
const Palette& palette(bool dark);
/// White, for print: nothing but the marks, in inks that are told apart by those who are colour-blind and are
/// dark enough for small letters.
const Palette& paper_palette();
/// Black or white, whichever is read better on `ground` (WCAG 2.1 contrast ratio).
Rgb readable_on(Rgb ground);

struct DrawnShape {
  /// picture: cells of a large matrix, one pixel each.
  enum class Kind : std::uint8_t { rect, frame, hatch, line, text, picture } kind = Kind::rect;
  PixelRect rect;  ///< of a text: the box it must stay inside of
  Rgb colour = 0;
  std::vector<std::pair<float, float>> points = {};  ///< line
  bool dashed = false;                               ///< line, frame
  bool grows = false;                                ///< rect: a bar that stands on its lower edge
  float round = 0;                                   ///< radius of the corners of a rect or a frame
  std::string text = {};
  float em = 0, x = 0, y = 0;  ///< text: left end of its baseline
  float turned = 0;            ///< text: degrees around (x, y), clockwise
  Face face = Face::sans;
  bool digit = false;               ///< a text inside of a cell
  std::int64_t row = -1, col = -1;  ///< rect: a cell of a matrix; text without a column: the name of a row
  bool touches = false;             ///< rect: a cell without a gap to its neighbours
  std::int64_t columns = 0;         ///< picture
  std::vector<Rgb> pixels = {};     ///< picture, row by row
  std::string part = {};            ///< id of the part
  float alpha = 1;                  ///< less: about to appear in a film
};

/// Of a matrix that is drawn cell by cell where Drawing::pictures is set.
inline constexpr std::int64_t kMostCells = 4096;

struct Drawing {
  float width = 0, height = 0;
  const Palette* palette = nullptr;
  float pen = 1;          ///< width of thin lines; curves are twice as wide
  bool pictures = false;  ///< matrices of more than kMostCells cells are pictures
  std::vector<DrawnShape> shapes = {};
  std::string part = {};                           ///< of the shapes that are added
  std::map<std::string, std::string> places = {};  ///< by part: whose numbers it shows

  const Palette& colours() const { return *palette; }
  void rect(PixelRect rect, Rgb colour, DrawnShape::Kind kind = DrawnShape::Kind::rect);
  void line(std::vector<std::pair<float, float>> points, Rgb colour, bool dashed = false);
  /// `box`: what it must stay inside of.
  void text(std::string text, float x, float baseline, float em, Face face, Rgb colour, PixelRect box);
};

Drawing draw(const Placed& placed, const LetterSizes& look, const Measure& measure, const Palette& colours,
             bool pictures = false);
inline Drawing draw(const Placed& placed, const LetterSizes& look, const Measure& measure, bool dark) {
  return draw(placed, look, measure, palette(dark));
}
/// The drawing as a file has it: neighbours of one colour merged, and cells that touch drawn a little over
/// those that follow, so that no seam is seen between them.
void seal_cells(Drawing& drawing);

/// What is wrong with a drawing: texts outside of their box or of the page, and texts over each other.
struct DrawingFault {
  std::string part, what, text;
};
std::vector<DrawingFault> faults_of(const Drawing& drawing, const Measure& measure);
/// em of the smallest digit in a cell; 0: there are none.
float smallest_digit(const Drawing& drawing);

/// What stands around the shapes of an SVG.
struct SvgPage {
  std::string title, description, language;
  std::string metadata;       ///< XML inside of <metadata>; empty: none
  std::string width, height;  ///< "8.5cm"; empty: as the drawing has them, in pixels
  bool ground = true;         ///< false: transparent
  /// A PNG of a picture as data: URL; null where the drawing has no pictures.
  std::string (*picture)(const DrawnShape&) = nullptr;
};
/// SVG 1.1, texts as text, groups by part with the site that they show.
std::string to_svg(const Drawing& drawing, const SvgPage& page);
inline std::string to_svg(const Drawing& drawing, const std::string& title) {
  return to_svg(drawing, SvgPage{title, {}, {}, {}, {}, {}});
}

}  // namespace attnscope::figure
