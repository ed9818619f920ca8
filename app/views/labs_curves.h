// The curves of a lab's picture, and the colours of its pieces.
#pragma once

#include <cstdint>
#include <string>

#include "app/look/theme.h"
#include "core/lab/lab.h"

namespace attnscope {

/// The colour that an ink has in the current theme.
ImU32 lab_ink(LabInk wanted);

/// Draws into the rectangle; `serial` as in draw_lab_picture.
void draw_lab_curves(const LabPlot& from, std::uint64_t serial, const std::string& key, ImVec2 at,
                     ImVec2 size);

}  // namespace attnscope
