// What each kind of mark says of itself: the room it needs in a form, the steps it can take, and what it does
// with the box it got. One file per kind: core/figure/mark_*.cpp.
#pragma once

#include <map>
#include <span>
#include <utility>

#include "core/figure/drawing.h"
#include "core/figure/place.h"

namespace attnscope::figure {

struct MarkContext {
  const LetterSizes& look;
  const Measure& measure;
  /// Lengths that need a pass over many numbers or names, by their address and what they depend on; for one
  /// solve or one drawing.
  std::map<std::pair<const void*, int>, float>& kept;

  template <class Compute>
  float once(const void* of, int kind, const Compute& compute) const {
    const auto [at, added] = kept.try_emplace({of, kind}, 0.f);
    if (added) at->second = compute();
    return at->second;
  }
};

struct MarkRules {
  std::span<const Give> gives;  ///< which steps it can take
  SizeNeed (*width)(const Part&, const Form&, const MarkContext&);
  SizeNeed (*height)(const Part&, const Form&, float width, const MarkContext&);
  /// Fills in cells, columns, digit and rows for `placed.box`.
  void (*settle)(PlacedPart& placed, const MarkContext&);
  void (*draw)(const PlacedPart& placed, Drawing& out, const MarkContext&);
};
const MarkRules& rules_of(const Mark& mark);
extern const MarkRules kWordsRules, kMatrixRules, kTableRules, kPlotRules, kTrackRules, kTriangleRules,
    kStairsRules;

/// The text of a part's title in its form; empty: none.
std::string title_of(const Part& part, const Form& form);
/// Writes it at the top of the part's box.
void draw_title(const PlacedPart& placed, Drawing& out, const LetterSizes& look);
/// Height of the title and the gap below it; 0 without one.
float title_height(const Part& part, const Form& form, const LetterSizes& look);
/// Width of the longest, pixels.
float widest(const std::vector<Text>& texts, float em, Face face, const MarkContext& context);

}  // namespace attnscope::figure
