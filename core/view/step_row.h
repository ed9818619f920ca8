// One row of a step, with the rows of its inputs that have the same columns above it, drawn large: below
// matrices whose cells are too small for digits that a lecture hall can read.
#pragma once

#include <vector>

#include "core/view/steps_parts.h"

namespace attnscope {

struct LargeRow {
  NamedRow row;
  figure::Scale scale = figure::Scale::diverging;
};
/// The last row is the step's own: its largest numbers have a cell each, the others are thin bars. A masked
/// number counts least. `cols`: names of the columns; empty: their indices. Nothing without a row or a
/// number.
std::optional<figure::Figure> large_rows(const std::vector<LargeRow>& rows, const figure::Names& cols,
                                         const Text& title);

}  // namespace attnscope
