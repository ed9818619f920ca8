// Tables of a figure: texts, numbers and bars in rows under column titles. A Table is data; draw_table gives
// its columns their widths and draws it.
#pragma once

#include <imgui.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace attnscope {

struct TableColumn {
  enum class Kind : std::uint8_t {
    text,        ///< left-aligned; in two lines or with an ellipsis where there is no room
    number,      ///< right-aligned
    bar,         ///< a bar from the left
    bar_number,  ///< a bar from a common zero, with its number behind its end
    over_bar,    ///< a right-aligned number above a thin bar
  };
  Kind kind = Kind::text;
  std::string title = {};
  float width = 0;  ///< pixels; 0: by its texts
  float share = 0;  ///< instead of a width: share of the room that the other columns leave
  double most = 0;  ///< value of the longest bar; 0: the largest of the column
  ImU32 ink = 0;    ///< of the title; 0: dim
};

struct TableCell {
  std::string text = {};
  ImU32 ink = 0;  ///< of the text; 0: the theme's
  double bar = NAN;
  ImU32 bar_ink = 0;
  ImFont* font = nullptr;  ///< null: that of the column's kind
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

/// Draws at `at`; its whole height becomes the last item. `item` is called after the item of each row, for
/// tooltips and menus. Rows outside the clip rectangle are skipped.
TableEvent draw_table(const Table& table, ImVec2 at, float width,
                      const std::function<void(int row)>& item = {});
/// Pixels.
float table_height(const Table& table);
/// Widths of the columns in pixels; valid until the next call.
const std::vector<float>& table_widths(const Table& table, float width);

}  // namespace attnscope
