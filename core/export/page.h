// The page that a figure is drawn on: its size in pixels or centimetres, its letters and colours.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/figure/drawing.h"
#include "core/figure/place.h"

namespace attnscope {

/// In units of a drawing: pixels, or points (1/72 inch) of a size in centimetres.
struct PageSize {
  float width = 1280, height = 720;  ///< height 0: as tall as the figure is
  bool printed = false;              ///< given in centimetres
};
/// "1280x720", "8.5cmx6cm", "8.5cm" (as tall as the figure is). Errors: another text; less than 100 or more
/// than 16384 units.
Result<PageSize> parse_page_size(const std::string& text);

inline constexpr const char* kPaperSize = "8.5cm";  ///< a column of a printed page
/// 8 points for text, 7 for names, at least 6 for digits.
extern const figure::LetterSizes kPaperLetters;

struct PageStyle {
  const figure::LetterSizes* letters = &figure::kWindowLetters;
  const figure::Palette* palette = &figure::palette(true);
};

/// The figure as it stands in print, where the text around it says what it shows: without its sentence, its
/// tables on no panels, its maps with a bar of their colours and the names of their axes.
figure::Figure for_print(figure::Figure figure);

struct FigurePage {
  figure::Drawing drawing;
  bool printed = false;               ///< a unit of the drawing is a point, not a pixel
  bool incomplete = false;            ///< some parts are left out
  std::vector<std::string> given_up;  ///< "pattern: digits"
  /// Points that a unit is long: those of a pixel are 3/4.
  double points() const { return printed ? 1 : 0.75; }
};
/// Cuts the drawing off below what stands on it.
void trim(figure::Drawing& drawing, float pad);
/// Places and draws a figure for a file: large matrices as pictures, cells without seams. Errors: it does not
/// fit even in its shortest form; `text`: the size as it was given, for that sentence.
Result<FigurePage> page_of(const figure::Figure& figure, const PageSize& size, const std::string& text,
                           const PageStyle& style);

}  // namespace attnscope
