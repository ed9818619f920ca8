// Tables of a figure: texts, numbers and bars in rows under column titles. A Table is data; draw_table gives
// its columns their widths and draws it.
#pragma once

#include <imgui.h>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/hash.h"

namespace attnscope {

struct TableColumn {
  enum class Kind : std::uint8_t {
    text,        ///< left-aligned; in two lines or with an ellipsis where there is no room
    number,      ///< right-aligned
    bar,         ///< a bar from the left
    bar_number,  ///< a bar from a common zero, with its number behind its end
  };
  Kind kind = Kind::text;
  std::string title = {};
  float width = 0;  ///< pixels; 0: by its texts
  float share = 0;  ///< instead of a width: share of the room that the other columns leave
  double most = 0;  ///< value of the longest bar; 0: the largest of the column
  ImU32 ink = 0;    ///< of the title; 0: dim
};
/// As wide as a share of the room that the other columns leave.
inline TableColumn bar_column(std::string title = {}, double most = 0) {
  return {TableColumn::Kind::bar, std::move(title), 0, 1, most};
}
inline TableColumn number_column(std::string title = {}, float width = 0, ImU32 ink = 0) {
  return {TableColumn::Kind::number, std::move(title), width, 0, 0, ink};
}

struct TableCell {
  std::string text = {};
  ImU32 ink = 0;  ///< of the text; 0: the theme's
  double bar = NAN;
  ImU32 bar_ink = 0;
  ImFont* font = nullptr;  ///< null: that of the column's kind
  double ghost = 0;        ///< a paler, longer bar behind it, where larger
};

struct TableRow {
  std::string id = {};  ///< "###name" of its item; empty: not an item
  std::vector<TableCell> cells = {};
  bool lit = false;
};

struct Table {
  std::vector<TableColumn> columns = {};
  std::vector<TableRow> rows = {};
  float row = 0, title_row = 0;  ///< heights in pixels; 0: by the fonts
  ImFont* words = nullptr;       ///< null: body
  ImFont* digits = nullptr;      ///< null: mono, small where there is no room
  bool lines = false;            ///< a line above each row
};

struct TableEvent {
  int hovered = -1, clicked = -1;  ///< rows
};

/// Key of a table that is made of these plain values, for Kept<Table>.
template <class T>
std::uint64_t values_key(std::span<const T> values) {
  static_assert(std::is_trivially_copyable_v<T>);
  Hash out;
  out.take(std::string_view(reinterpret_cast<const char*>(values.data()), values.size_bytes()));
  return out.value();
}

/// Draws at `at`; its whole height becomes the last item. `item` is called after the item of each row, for
/// tooltips and menus. Rows outside the clip rectangle are skipped.
TableEvent draw_table(const Table& table, ImVec2 at, float width,
                      const std::function<void(int row)>& item = {});
/// The same: `item` is only referred to, as a std::function would copy what it captures to the heap.
template <std::invocable<int> Item>
requires(!std::same_as<Item, std::function<void(int)>>) TableEvent
    draw_table(const Table& table, ImVec2 at, float width, const Item& item) {
  return draw_table(table, at, width, std::function<void(int)>(std::cref(item)));
}
/// Pixels.
float table_height(const Table& table);
/// Pixels at which no text is shortened.
float table_width(const Table& table);
/// Widens those that are narrower than `needs` at the cost of the others, which keep this share of their own
/// width and what they need themselves.
void widen_by_need(std::vector<float>& widths, const std::vector<float>& needs, float kept);

}  // namespace attnscope
