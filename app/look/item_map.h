// Screen rectangles of items by name, for lessons and tests that click. The names are stable:
// assets/names.json lists them. Items that are clipped away have no `seen` rectangle (in_sight() is false).
#pragma once

#include <imgui.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/step/site.h"

namespace attnscope {

/// Which numbers a matrix shows: cell (row, col) has index `first`, plus row and col on two of its axes.
struct CellsPlace {
  Site site;
  std::string weight;               ///< instead of a site
  std::vector<std::int64_t> first;  ///< on the axes of the step or weight; empty: not known
  int row_axis = -1, col_axis = -1;
};

struct ItemRect {
  ImVec2 p0, p1;                                  ///< screen pixels
  std::int64_t rows = 0, cols = 0;                ///< cells of a matrix; 0: no matrix
  double row0 = 0, col0 = 0, row1 = 0, col1 = 0;  ///< the range of cells that is visible
  CellsPlace place = {};
  ImVec2 seen0 = {},
         seen1 = {};  ///< the part of it inside the clip rectangle of its window; empty: scrolled away

  bool in_sight() const { return seen1.x > seen0.x + 1 && seen1.y > seen0.y + 1; }
};

/// Switches recording of items on or off; on by default.
void note_items(bool on);
/// Starts a frame: drops the items of the frame before.
void begin_items();
/// Prefix of every name that is recorded from now on.
void set_item_scope(std::string prefix);
/// ImGui::InvisibleButton of at least one pixel: a size of nothing, in a window without room, ends the
/// program there.
bool hit_area(const char* id, ImVec2 size, ImGuiButtonFlags flags = 0);
/// Records the last ImGui item under `name`: a plain name, or a label, of which the part after "###" counts.
void note_item(std::string_view name);
/// Records a rectangle that is no ImGui item, or covers several.
void note_item(std::string_view name, const ItemRect& rect);
/// The items recorded in this frame.
const std::map<std::string, ItemRect>& noted_items();

}  // namespace attnscope
