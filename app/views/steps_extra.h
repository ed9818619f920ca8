// Beside two rules a small drawing: the pair of numbers that RoPE turns, as arrows; the curve of an
// activation with the cell's point on it. The curve is sampled through core's own function.
#pragma once

#include <imgui.h>

#include "core/session/session.h"
#include "core/trace/provenance.h"

namespace attnscope {

/// The pair that the cell belongs to, before and after, inside a square of `side` pixels, with angle, cos and
/// sin.
void draw_rotation_dial(const Trace& trace, const Explanation& why, ImVec2 position, float height);
/// The activation's curve with the point of the cell.
void draw_activation_curve(const Trace& trace, const Explanation& why, ImVec2 position, ImVec2 size);

}  // namespace attnscope
