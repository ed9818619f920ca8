// Error boundary for a part of the frame: when drawing it throws (out of memory, a library error), an error
// message is shown in its place and the rest of the frame is drawn as usual. The part is drawn again with the
// next run, or when the user clicks the button.
#pragma once

#include <string>
#include <string_view>

#include "app/look/scopes.h"
#include "app/state/frame_state.h"

namespace attnscope {

/// True if a part can be drawn; otherwise its error message has been drawn at the ImGui cursor.
bool part_is_well(FrameState& state, std::string_view part);
/// Inside a catch block: unwinds ImGui to `mark` and draws the error message at `at`.
void part_failed(FrameState& state, std::string_view part, const std::string& what, const UiMark& mark,
                 ImVec2 at);

/// Draws a part of the frame at the ImGui cursor, with an error boundary. `part`: unique key; `what`: the
/// name of the part for the error message.
template <class What, class Draw>
void draw_part(FrameState& state, std::string_view part, What&& what, Draw&& draw) {
  if (!part_is_well(state, part)) return;
  const UiMark mark;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  try {
    draw();
  } catch (...) {
    part_failed(state, part, what(), mark, at);
  }
}

}  // namespace attnscope
