// Where items stand on the screen, by name: what lessons and the tour point at, and what a test that drives
// the window clicks. The names are stable: assets/names.json lists them. Refuses items that cannot be seen.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/step/site.h"

namespace attnscope {

/// What the cells of a matrix are: cell (row, col) has the index `first` with row and col added on two axes.
struct CellsPlace {
  Site site;
  std::string weight;               ///< instead of a site
  std::vector<std::int64_t> first;  ///< on the axes of the step or weight; empty: nobody says
  int row_axis = -1, col_axis = -1;
};

struct ItemRect {
  ImVec2 p0, p1;                                  ///< pixels
  std::int64_t rows = 0, cols = 0;                ///< cells of a matrix; 0: no matrix
  double row0 = 0, col0 = 0, row1 = 0, col1 = 0;  ///< the cells of it that are seen
  CellsPlace place = {};
  ImVec2 seen0 = {},
         seen1 = {};  ///< what of it the window shows that it is drawn in; none: it is scrolled away

  bool in_sight() const { return seen1.x > seen0.x + 1 && seen1.y > seen0.y + 1; }
};

/// Switches the noting on or off; on at first.
void note_items(bool on);
/// Forgets the items of the frame before.
void begin_items();
/// Put in front of every name from now on.
void set_item_scope(std::string prefix);
/// The last ImGui item under `name`: a name of its own, or a label, of which what follows "###" counts.
void note_item(std::string_view name);
/// A rectangle that is no item, or more than one.
void note_item(std::string_view name, const ItemRect& rect);
/// Of this frame.
const std::map<std::string, ItemRect>& noted_items();

}  // namespace attnscope
