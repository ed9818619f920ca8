// Overlay of presenter mode: fading pen strokes, spotlight, rim of the magnifier, black screen. Its state is
// in app/state/presenter.h.
#pragma once

#include "app/gpu/lens.h"
#include "app/state/frame_state.h"

namespace attnscope {

/// The magnifier of this frame; factor 1 when it is off.
Lens magnifier(const FrameState& state);
/// Once per frame, after the main window.
void draw_presenter(FrameState& state);

}  // namespace attnscope
