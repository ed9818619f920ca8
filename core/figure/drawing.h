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
/// Black or white, whichever is read better on `ground` (WCAG 2.1 contrast ratio).
Rgb readable_on(Rgb ground);

struct DrawnShape {
  enum class Kind : std::uint8_t { rect, frame, hatch, line, text } kind = Kind::rect;
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
  std::int64_t row = -1, col = -1;  ///< rect: a cell of a matrix, or a row of a table; -1: neither
  std::string part = {};            ///< id of the part
};

struct Drawing {
  float width = 0, height = 0;
  bool dark = true;
  std::vector<DrawnShape> shapes = {};
  std::string part = {};                           ///< of the shapes that are added
  std::map<std::string, std::string> places = {};  ///< by part: whose numbers it shows

  const Palette& colours() const { return palette(dark); }
  void rect(PixelRect rect, Rgb colour, DrawnShape::Kind kind = DrawnShape::Kind::rect);
  void line(std::vector<std::pair<float, float>> points, Rgb colour, bool dashed = false);
  /// `box`: what it must stay inside of.
  void text(std::string text, float x, float baseline, float em, Face face, Rgb colour, PixelRect box);
};

Drawing draw(const Placed& placed, const LetterSizes& look, const Measure& measure, bool dark);

/// What is wrong with a drawing: texts outside of their box or of the page, and texts over each other.
struct DrawingFault {
  std::string part, what, text;
};
std::vector<DrawingFault> faults_of(const Drawing& drawing, const Measure& measure);
/// em of the smallest digit in a cell; 0: there are none.
float smallest_digit(const Drawing& drawing);

/// SVG 1.1, texts as text. `title`: its <title>.
std::string to_svg(const Drawing& drawing, const std::string& title);

}  // namespace attnscope::figure
