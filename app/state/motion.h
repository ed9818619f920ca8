// The clock of the motion that explains a step: it begins when one goes on to a later step, follows the speed
// of playing, stands still while it is held, and is over at once where nothing shall move. What moves is
// decided by the view. Refuses to draw.
#pragma once

#include "app/widgets/commands.h"

namespace attnscope {

/// How long a motion takes at a speed of steps per second, 0.3 to 0.8 s; 0 where playing is too fast for it.
float motion_seconds(float speed, bool playing);

class MotionClock {
 public:
  /// Once per frame, after the cursor was moved: `walked` may be null. `seconds`: since the frame before.
  void follow(Workspace& workspace, const RunResult* walked, float seconds);

 private:
  std::optional<Site> seen_;  ///< the step of the frame before
  int index_ = -1;
};

/// Where the motion is over: nothing moves.
inline void finish_motion(Workspace& workspace) {
  workspace.motion = 1.f;
  workspace.motion_held = false;
}

}  // namespace attnscope
