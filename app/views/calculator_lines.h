// Lines of the calculator's tables: a name, then a number for each heading.
#pragma once

#include <string>
#include <vector>

#include "app/widgets/table.h"
#include "core/calc/calc_tables.h"

namespace attnscope {

std::string count_text(Count count);
Table calculator_table(float width, std::vector<std::string> headings);
void add_calculator_line(Table& table, std::string name, std::vector<std::string> cells, bool strong = false);
/// At the ImGui cursor.
void draw_calculator_table(const Table& table, float width);
void draw_calculator_lines(const CalcTable& lines, float width);

}  // namespace attnscope
