// Parts of the frame that may throw (memory ends, a library refuses a size): the part is replaced by a
// sentence and everything else goes on. It is drawn again with the next run, or when it is asked for. Refuses
// to end the program.
#pragma once

#include <string>
#include <string_view>

#include "app/look/scopes.h"
#include "app/state/frame_state.h"

namespace attnscope {

/// True where a part can be drawn; else its sentence was, where the cursor stands.
bool part_is_well(FrameState& state, std::string_view part);
/// Inside of a catch: its sentence takes the place of what was drawn since `mark`, at `at`.
void part_failed(FrameState& state, std::string_view part, const std::string& what, const UiMark& mark,
                 ImVec2 at);

/// Draws a part of the frame where the cursor stands. `part` tells it from the others; `what` says how the
/// sentence names it.
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
