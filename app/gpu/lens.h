// A rectangle of the screen that shows what lies around a point larger.
#pragma once

#include <imgui.h>

namespace attnscope {

struct Lens {
  ImVec2 centre, half;  ///< where it stands, pixels
  ImVec2 at;            ///< what it shows: the middle of it
  float factor = 1.f;   ///< 1: no lens
};

}  // namespace attnscope
