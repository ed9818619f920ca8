// A figure as plain text, to be pasted elsewhere: its matrices as tables with the names of their rows and
// columns, tabs between, and all other texts line by line. Refuses pictures.
#pragma once

#include <string>

#include "app/figure/display_list.h"

namespace attnscope {

/// Matrices of more cells than this, and thumbnails, are told by their size alone.
inline constexpr std::int64_t kMostTextCells = 4096;

/// What the figure says, UTF-8, lines ended by \n. Numbers are written with six digits, whatever their cells
/// have room for; masked ones as -inf.
std::string figure_as_text(const DisplayList& list);

}  // namespace attnscope
