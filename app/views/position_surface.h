// A table as a 3-D surface that is rotated with the mouse: position and dimension on the ground plane, value
// as height and colour. Not smoothed: every vertex is a value of the table.
#pragma once

#include <imgui.h>

#include <string>

#include "app/look/colormap.h"
#include "core/tensor/tensor.h"

namespace attnscope {

/// Camera angles, radians.
struct SurfaceView {
  float yaw = 0.65f, pitch = 0.62f;
};

/// Draws `table` [pos, dim] into the rectangle; every k-th row and column if it is too fine. Dragging rotates
/// it, a double click resets the camera.
void draw_surface(const char* id, const Tensor& table, const HeatStyle& style, SurfaceView& view, ImVec2 at,
                  ImVec2 size);

}  // namespace attnscope
