// The predicted path of the Pilot's gripper, drawn over its camera image. An empty path draws nothing.
#pragma once

#include <imgui.h>

#include <vector>

#include "core/train/pilot_path.h"

namespace attnscope {

/// Draws between p0 and p1 (the image, screen pixels); the end circle's diameter is the gripper's opening.
void draw_arm_way(const std::vector<PathPoint>& path, ImVec2 p0, ImVec2 p1, ImU32 colour, float thickness);

}  // namespace attnscope
