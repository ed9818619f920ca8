// Line breaking at spaces only: Dear ImGui would also break after any full stop or comma, and so inside of
// "1.17" and "6,738,415,616".
#pragma once

#include <imgui.h>

#include <string>
#include <string_view>

#include "core/base/no_copy.h"

namespace attnscope {

/// End of the line that begins at `text`, in the current font: after the last word that fits in `width`
/// pixels. A word wider than the line is kept whole, and so is "20.4 %".
const char* line_end(const char* text, const char* end, float width);
/// The text with newlines inserted, cached. The view holds until many other texts were requested.
std::string_view in_lines(std::string_view text, float width);
/// Draws it at the ImGui cursor, `width` pixels wide; 0: to the right edge.
void text_in_lines(std::string_view text, float width = 0);

/// The next tooltip stands below this rectangle, or above it or at one of its sides where there is no room,
/// and so covers nothing of what it explains; where no side has room it stands at the pointer as ever.
void tooltip_off(ImVec2 p0, ImVec2 p1, const char* text);
/// The same with the sides first, for a row among others: what stands above and below it stays readable.
void tooltip_beside(ImVec2 p0, ImVec2 p1, const char* text);
/// True from a click on the last item, which is hovered, until the pointer leaves it: it was used, and its
/// tooltip would cover what is used next. Not of pictures.
bool tooltip_is_spent();
/// While it lives, tooltips of items stand beside them: of the rows of a table.
class TooltipsBeside : NoCopy {
 public:
  TooltipsBeside();
  ~TooltipsBeside();
};

}  // namespace attnscope
