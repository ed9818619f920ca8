// The line of what goes in: the title or the text that can be typed over, tokens as chips, sizes of a scene.
// Refuses to tokenize or compute: edits go through commands.
#pragma once

#include "app/frame_state.h"
#include "app/panel.h"

namespace attnscope {

class InputBar {
 public:
  /// Draws at `position`; the height that was used.
  float draw(const PanelContext& context, FrameState& state, ImVec2 position, float width);
};

}  // namespace attnscope
