// The pages of Ask that show a table as a figure.
#include "core/view/ask_figures.h"

namespace attnscope {

Result<ViewDrawing> draw_asked_table(AskPage page, const ShownTable& table) {
  if (table.rows.empty()) return fail(Code::not_found, "error.view.ask_begins");
  figure::TableMark mark;
  for (const std::string& column : table.columns) mark.header.emplace_back(column);
  for (const std::vector<std::string>& row : table.rows) {
    figure::TableMark::Row& out = mark.rows.emplace_back();
    for (const std::string& cell : row) out.cells.emplace_back(cell);
  }
  const std::string key = "ask.page." + std::string(name_of_value(page, kAskPages));
  return ViewDrawing{
      {Text::of(key)},
      {Text::of(key + ".help")},
      figure::leaf({std::string(name_of_value(page, kAskPages)), std::move(mark), 3, {Text::of(key)}, ""})};
}

}  // namespace attnscope
