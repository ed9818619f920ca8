// Beside some figures a small drawing: the pair of numbers that RoPE turns, as arrows; the curve of an
// activation with the cell's point on it; the image that patches were cut from. The curve is sampled through
// core's own function.
#pragma once

#include <imgui.h>

#include "app/views/view.h"
#include "core/trace/provenance.h"

namespace attnscope {

/// The pair that the cell belongs to, before and after, inside a square of `side` pixels, with angle, cos and
/// sin.
void draw_rotation_dial(const Trace& trace, const Explanation& why, ImVec2 position, float height);
/// The image that the rows of `site` were cut from, with the patch of `row` lit; a click on another pins its
/// row.
void draw_cut_picture(const ViewContext& context, const Site& site, std::int64_t row, ImVec2 position,
                      ImVec2 size);
/// The activation's curve with the point of the cell.
void draw_activation_curve(const Trace& trace, const Explanation& why, ImVec2 position, ImVec2 size);

}  // namespace attnscope
