// What is wrong with a drawn figure, read off its DisplayList: letters outside of their clip rectangle, texts
// over each other, shortened texts, and matrices that are so small that no cell shows its number.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/figure/display_list.h"

namespace attnscope {

struct TextFault {
  /// cut: letters lie outside of the clip rectangle and no scrolling brings them there. overlap: letters of
  /// two texts meet by more than a pixel. shortened: the text was replaced by one with "…" in it.
  enum class Kind : std::uint8_t { cut, overlap, shortened };
  Kind kind = Kind::cut;
  std::string text, other;  ///< `other`: the second text of an overlap
  ImVec2 at;                ///< upper left corner, pixels
};
/// "cut", "overlap", "shortened".
const char* to_text(TextFault::Kind kind);
/// Faults of the texts that can be seen, from left to right. Texts under an opaque rectangle that was drawn
/// later are not looked at. O(n^2) in texts that share a column.
std::vector<TextFault> text_faults(const DisplayList& list);

/// A matrix of the figure and how many of its cells have a text inside.
struct CellDigits {
  std::string site;  ///< of the step, or empty
  std::int64_t cells = 0, with_digits = 0;
};
std::vector<CellDigits> cell_digits(const DisplayList& list);

/// Em square, pixels, of the smallest digits of the row that is looked at: in the cells of a group
/// "row" of the step, where it is drawn large, or in the step's matrix; 0: it has none.
float digits_of_row(const DisplayList& list, std::string_view site);

/// Height of the lowest line of digits in sight, pixels; 0 where the figure has none.
float smallest_digit(const DisplayList& list);

}  // namespace attnscope
