// What lies over the picture while presenting: the pen's strokes that fade, the spotlight, the magnifier's
// rim, the black screen. Refuses to decide when (app/state/presenter.h).
#pragma once

#include "app/gpu/lens.h"
#include "app/state/frame_state.h"

namespace attnscope {

/// The magnifier of this frame; its factor is 1 where there is none.
Lens magnifier(const FrameState& state);
/// Once per frame, after the window.
void draw_presenter(FrameState& state);

}  // namespace attnscope
