// A table of numbers as a hilly surface that is turned with the mouse: position and dimension on the ground,
// the value as height and colour. Refuses to smooth: every corner is a number of the table.
#pragma once

#include <imgui.h>

#include <string>

#include "app/look/colormap.h"
#include "core/tensor/tensor.h"

namespace attnscope {

/// Where one looks from, radians.
struct SurfaceView {
  float yaw = 0.65f, pitch = 0.62f;
};

/// Draws `table` [pos, dim] into the rectangle; every k-th row and column where it is too fine to be seen.
/// Dragging turns it, a double click turns it back.
void draw_surface(const char* id, const Tensor& table, const HeatStyle& style, SurfaceView& view, ImVec2 at,
                  ImVec2 size);

}  // namespace attnscope
