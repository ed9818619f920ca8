// Clock of the animation of a step: starts when the cursor moves to a later step, runs at the playing speed,
// can be paused, and ends at once when animations are off. What is animated is up to the view. Draws
// nothing.
#pragma once

#include "app/widgets/commands.h"

namespace attnscope {

/// Duration of the animation for `speed` steps per second, 0.3 to 0.8 s; 0 if playing is too fast for it.
float motion_seconds(float speed, bool playing);

class MotionClock {
 public:
  /// Once per frame, after the cursor has moved. `walked` may be null. `seconds`: since the last frame.
  void follow(Workspace& workspace, const RunResult* walked, float seconds);

 private:
  std::optional<Site> seen_;  ///< the step of the last frame
  int index_ = -1;
};

/// Jumps to the end of the animation.
inline void finish_motion(Workspace& workspace) {
  workspace.motion = 1.f;
  workspace.motion_held = false;
}

}  // namespace attnscope
