// A figure as plain text for the clipboard: its matrices as tab-separated tables with row and column names,
// all other texts line by line. Pictures are left out.
#pragma once

#include <string>

#include "app/figure/display_list.h"

namespace attnscope {

/// Of matrices with more cells than this, and of thumbnails, only the size is written.
inline constexpr std::int64_t kMostTextCells = 4096;

/// UTF-8, lines ended by \n. Numbers have six digits, whatever the cells on screen have room for; masked
/// cells are -inf.
std::string figure_as_text(const DisplayList& list);

}  // namespace attnscope
