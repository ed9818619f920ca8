// The way of the Pilot's hand, drawn over the image it looks at. Refuses nothing: an empty way draws nothing.
#pragma once

#include <imgui.h>

#include <vector>

#include "core/train/pilot_path.h"

namespace attnscope {

/// Over the image between p0 and p1; the circle at the end is as wide as the gripper is open.
void draw_arm_way(const std::vector<PathPoint>& path, ImVec2 p0, ImVec2 p1, ImU32 colour, float thickness);

}  // namespace attnscope
