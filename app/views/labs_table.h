// The tables of a lab's picture: number columns keep their width, text columns shrink.
#pragma once

#include <cstdint>
#include <string>

#include "app/look/theme.h"
#include "core/lab/lab.h"

namespace attnscope {

/// Draws into the rectangle; `serial` as in draw_lab_picture. Text wider than its column is drawn in two
/// lines if the rows are high enough, else truncated.
void draw_lab_table(const LabTable& table, std::uint64_t serial, const std::string& key, ImVec2 at,
                    ImVec2 size);

/// Pixels at which no text of it is shortened.
float lab_table_width(const LabTable& table, std::uint64_t serial);

}  // namespace attnscope
