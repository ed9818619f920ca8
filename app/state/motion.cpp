#include "app/state/motion.h"

#include <algorithm>

#include "app/widgets/navigation.h"

namespace attnscope {
namespace {

constexpr float kLongest = 0.8f, kShortest = 0.3f;

}  // namespace

float motion_seconds(float speed, bool playing) {
  const float turn = 1.f / std::max(speed, 1e-3f);
  if (playing && turn < kShortest) return 0;
  return std::clamp(turn * kLongest, kShortest, kLongest);
}

void MotionClock::follow(Workspace& workspace, const RunResult* walked, float seconds) {
  if (!walked || walked->steps.empty()) return finish_motion(workspace);
  const Site step = workspace.cursor.step;
  const int index = current_step(workspace, *walked);
  if (step != seen_ && !workspace.motion_held) workspace.motion = seen_ && index >= index_ ? 0.f : 1.f;
  seen_ = step;
  index_ = index;
  const float whole = motion_seconds(workspace.speed, workspace.playing);
  if (!workspace.motion_held) {
    if (!workspace.animate || whole <= 0) workspace.motion = 1.f;
    if (workspace.motion < 1.f) workspace.motion = std::min(1.f, workspace.motion + seconds / whole);
  }
  workspace.moving |= workspace.motion < 1.f && !workspace.motion_held;
}

}  // namespace attnscope
