// Where items stand on the screen, by name: what lessons and the tour point at, and what a test that drives
// the window clicks. The names are stable: assets/names.json lists them. Refuses items that cannot be seen.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace attnscope {

struct ItemRect {
  ImVec2 p0, p1;                    ///< pixels
  std::int64_t rows = 0, cols = 0;  ///< cells of a matrix; 0: no matrix
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
