// Small drawings beside some figures: the pair of dimensions that RoPE rotates, as arrows; the curve of an
// activation function with the cell's point; the image that patches were cut from. The curve uses core's own
// activation function.
#pragma once

#include <imgui.h>

#include "app/views/view.h"
#include "core/trace/provenance.h"

namespace attnscope {

/// The pair of the cell before and after rotation, as arrows in a circle, below it angle, cos and sin. Lines
/// wider than `room` are left out, in a very narrow one all of it.
void draw_rotation_dial(const Trace& trace, const Explanation& why, ImVec2 position, ImVec2 room);
/// The image that the rows of `site` were cut from, with the patch of `row` highlighted; a click on another
/// patch pins its row.
void draw_cut_picture(const ViewContext& context, const Site& site, std::int64_t row, ImVec2 position,
                      ImVec2 size);
/// The activation function with the point of the cell.
void draw_activation_curve(const Trace& trace, const Explanation& why, ImVec2 position, ImVec2 size);

}  // namespace attnscope
