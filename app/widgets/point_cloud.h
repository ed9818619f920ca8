// Scatter plot with labels, and arrows from the origin: the one widget for 2-D projections of vectors. Both
// axes have the same scale. The projection itself is computed in core.
#pragma once

#include <imgui.h>

#include <string>
#include <vector>

namespace attnscope {

struct CloudPoint {
  float x = 0, y = 0;  ///< NaN: not shown
  ImU32 colour = 0;
  std::string label;
  bool hollow = false;
};
struct CloudArrow {
  float x = 0, y = 0;  ///< end point; starts at the origin, data units
  ImU32 colour = 0;
  std::string label;
};
struct PointCloud {
  std::string key;  ///< ImGui ID, and name in the item map
  std::string title;
  std::string caption;  ///< below the title
  std::vector<CloudPoint> points;
  std::vector<CloudArrow> arrows;
  int selected = -1;        ///< drawn with a ring, and always with its label
  std::vector<int> joined;  ///< points connected to the selected one by lines
  ImU32 title_colour = 0;   ///< 0: text colour
};

struct CloudEvent {
  int point = -1;  ///< under the mouse pointer
  bool clicked = false;
};
/// Draws into the rectangle at `at` of `size` pixels, title included.
CloudEvent draw_point_cloud(const PointCloud& cloud, ImVec2 at, ImVec2 size);

}  // namespace attnscope
