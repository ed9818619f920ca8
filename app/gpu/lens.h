// Magnifier: a rectangle of the screen that shows the surroundings of a point enlarged.
#pragma once

#include <imgui.h>

namespace attnscope {

struct Lens {
  ImVec2 centre, half;  ///< the rectangle: centre and half size, pixels
  ImVec2 at;            ///< the point that is shown in its middle, pixels
  float factor = 1.f;   ///< magnification; 1: off
};

}  // namespace attnscope
