// Points in a plane with words beside them and arrows from the origin: one way for every view to draw what a
// projection makes of vectors. Both axes have one scale. Refuses to project: it shows the places it is given.
#pragma once

#include <imgui.h>

#include <string>
#include <vector>

namespace attnscope {

struct CloudPoint {
  float x = 0, y = 0;  ///< NaN: it has no place
  ImU32 colour = 0;
  std::string label;
  bool hollow = false;
};
struct CloudArrow {
  float x = 0, y = 0;  ///< from the origin of data
  ImU32 colour = 0;
  std::string label;
};
struct PointCloud {
  std::string key;  ///< ImGui id, and of the driver's item map
  std::string title;
  std::string caption;  ///< below it
  std::vector<CloudPoint> points;
  std::vector<CloudArrow> arrows;
  int selected = -1;        ///< has a ring and always its label
  std::vector<int> joined;  ///< points that lines join with the selected one
  ImU32 title_colour = 0;   ///< 0: of text
};

struct CloudEvent {
  int point = -1;  ///< under the pointer
  bool clicked = false;
};
/// Draws into the rectangle at `at` of `size` pixels, title included.
CloudEvent draw_point_cloud(const PointCloud& cloud, ImVec2 at, ImVec2 size);

}  // namespace attnscope
