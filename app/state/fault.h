// Parts of the frame that may throw (memory ends, a library refuses a size): the part is replaced by a
// sentence and everything else goes on. It is drawn again with the next run, or when it is asked for. Refuses
// to end the program.
#pragma once

#include <functional>
#include <string>

#include "app/state/frame_state.h"

namespace attnscope {

/// Draws a part of the frame where the cursor stands. `part` tells it from the others; `what` names it in the
/// sentence.
void draw_part(FrameState& state, const std::string& part, const std::string& what,
               const std::function<void()>& draw);

}  // namespace attnscope
