// The solver: a figure and a room in, a place for every part out, and what was given up for it.
//
// Widths bottom up (least, natural, most), widths top down (all get their least, then the gaps to natural are
// filled in proportion, then those to most); heights the same way for these widths, where texts wrap. Where
// the least sizes do not fit, every leaf that makes its box too large names the steps that would help on that
// axis, and the cheapest is taken: price of the kind of step times priority of the part. Steps only add up,
// so it ends. At the end each step is undone once, dearest first, where all still fits. The result depends on
// the figure, the room, the language and the typefaces alone, not on the room before.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/figure/figure.h"
#include "core/figure/measure.h"

namespace attnscope::figure {

struct PixelRect {
  float x = 0, y = 0, w = 0, h = 0;
  float right() const { return x + w; }
  float bottom() const { return y + h; }
};

/// Sizes of letters in pixels (em), least and natural, and of gaps.
struct LetterSizes {
  float title = 20, body = 15, small = 12;
  float digit = 11, digit_natural = 14;    ///< in the cells of a matrix
  float looked = 14, looked_natural = 22;  ///< in the row that is drawn large
  float lead = 22;                         ///< lines to be read from afar
  float gap = 12, pad = 14;
  float plane = 64;          ///< least side of a matrix without digits
  float least_name = 0.75f;  ///< of a name's letters, where it is too long for its column
};
extern const LetterSizes kWindowLetters, kPresenterLetters, kColumnLetters;

/// Least, natural and most size along one axis, pixels.
struct SizeNeed {
  float least = 0, natural = 0, most = 0;
};

/// A leaf of the figure with what it gave up so far.
struct Form {
  std::set<Give> given;
  bool has(Give give) const { return given.contains(give); }
};

/// Where a part stands. Matrices: `cells` is the rectangle of their cells.
struct PlacedPart {
  const Part* part = nullptr;
  Form form;
  PixelRect box, cells;
  std::vector<int> columns;  ///< of a row drawn large: those with a cell of their own, in order
  float bars = 0;            ///< height of the bars below the cells
  float digit = 0;           ///< em of the digits in its cells; 0: none
  std::int64_t rows = 0;     ///< of a table: how many are shown
};
struct Placed {
  PixelRect room;
  std::vector<PlacedPart> parts;       ///< those that are shown, in order of reading
  std::vector<std::string> given_up;   ///< "pattern: digits"
  std::vector<std::string> overflows;  ///< what does not fit even in its last form; empty: all fits
  float loss = 0;                      ///< sum of the prices of what was given up
  float natural_height = 0;            ///< at this width, with what was given up
};

/// `figure` has to live as long as the result.
Placed place(const Figure& figure, float width, float height, const LetterSizes& look,
             const Measure& measure);

}  // namespace attnscope::figure
