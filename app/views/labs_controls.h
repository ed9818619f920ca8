// The controls of a lab: a slider and a typed number, a choice, a switch. Refuses values outside of borders.
#pragma once

#include "core/lab/lab.h"

namespace attnscope {

/// Draws all controls in rows that fit `width`, at the cursor; true where a value changed.
bool draw_lab_controls(const Lab& lab, LabValues& values, float width);

}  // namespace attnscope
