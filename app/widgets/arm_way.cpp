#include "app/widgets/arm_way.h"

#include "app/figure/canvas.h"
#include "app/widgets/pieces.h"

namespace attnscope {

void draw_arm_way(const std::vector<PathPoint>& path, ImVec2 p0, ImVec2 p1, ImU32 colour, float thickness) {
  const Canvas canvas;
  std::vector<ImVec2> at;
  for (const PathPoint& point : path)
    at.emplace_back(p0.x + (p1.x - p0.x) * static_cast<float>(point.x),
                    p0.y + (p1.y - p0.y) * static_cast<float>(point.y));
  if (at.empty()) return;
  canvas.polyline(at, IM_COL32(0, 0, 0, 160), false, thickness + scaled(2));
  canvas.polyline(at, colour, false, thickness);
  for (const ImVec2 point : at) canvas.fill_circle(point, thickness * 0.8f, colour);
  const float open = scaled(4) + scaled(5) * static_cast<float>(path.back().gripper);
  canvas.circle(at.back(), open, IM_COL32(0, 0, 0, 160), 0, scaled(4));
  canvas.circle(at.back(), open, colour, 0, scaled(2));
}

}  // namespace attnscope
