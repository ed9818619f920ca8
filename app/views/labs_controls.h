// The controls of a lab: sliders with a number field, choices, switches. Values stay within their range.
#pragma once

#include <cstdint>

#include "core/lab/lab.h"

namespace attnscope {

/// Another number for each lab and each setting of its controls.
std::uint64_t key_of_lab(const Lab& lab, const LabValues& values);

/// Draws all controls in rows that fit `width`, at the ImGui cursor; true if a value changed. `large`: names
/// in the letters of the easy window.
bool draw_lab_controls(const Lab& lab, LabValues& values, float width, bool large = false);

}  // namespace attnscope
