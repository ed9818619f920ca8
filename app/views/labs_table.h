// The tables of a lab's picture: numbers keep their room, words give way.
#pragma once

#include <cstdint>
#include <string>

#include "app/look/theme.h"
#include "core/lab/lab.h"

namespace attnscope {

/// Draws it into the rectangle; `serial` as of draw_lab_picture. Words that are wider than their column stand
/// in two lines where the rows are high enough, and are shortened else.
void draw_lab_table(const LabTable& table, std::uint64_t serial, const std::string& key, ImVec2 at,
                    ImVec2 size);

}  // namespace attnscope
