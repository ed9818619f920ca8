// Text in lines that are broken behind words alone: Dear ImGui would break behind any full stop or comma, and
// so inside of "1.17" and "6,738,415,616". Refuses to know what is said.
#pragma once

#include <imgui.h>

#include <string>
#include <string_view>

namespace attnscope {

/// Where the line that begins at `text` ends, in the current font: behind the last word that fits in `width`
/// pixels; a word that fits in no line goes on behind it.
const char* line_end(const char* text, const char* end, float width);
/// The text with its lines broken so. Holds until many others were asked for.
std::string_view in_lines(std::string_view text, float width);
/// Writes it at the cursor, `width` pixels wide; 0: to the right edge.
void text_in_lines(std::string_view text, float width = 0);

/// The next tooltip stands below this rectangle, or above it or at one of its sides where there is no room,
/// and so covers nothing of what it explains; where no side has room it stands at the pointer as ever.
void tooltip_off(ImVec2 p0, ImVec2 p1, const char* text);

}  // namespace attnscope
