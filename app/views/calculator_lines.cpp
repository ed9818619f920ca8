// Lines of the calculator's tables: a name, then a number for each heading.
#include "app/views/calculator_lines.h"

#include <algorithm>
#include <vector>

#include "app/views/calculator_panes.h"
#include "app/widgets/pieces.h"
#include "app/widgets/table.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/calc/calc_tables.h"

namespace attnscope {
namespace {

constexpr float kCalculatorRow = 20.f;  // units

}  // namespace

std::string count_text(Count count) { return format_count(count.value()); }

Table calculator_table(float width, std::vector<std::string> headings) {
  const float each = std::min(scaled(150), width * 0.62f / static_cast<float>(headings.size()));
  Table out;
  out.columns = {{.share = 1}};
  for (std::string& heading : headings)
    out.columns.push_back({TableColumn::Kind::number, std::move(heading), each});
  out.row = scaled(kCalculatorRow), out.title_row = scaled(kCalculatorRow + 2);
  return out;
}

void add_calculator_line(Table& table, std::string name, std::vector<std::string> cells, bool strong) {
  TableRow row{{}, {{.text = std::move(name), .font = strong ? fonts().body_bold : nullptr}}};
  for (std::string& cell : cells) row.cells.push_back({std::move(cell), strong ? theme().accent : 0});
  table.rows.push_back(std::move(row));
}

void draw_calculator_table(const Table& table, float width) {
  (void)draw_table(table, ImGui::GetCursorScreenPos(), width);
}

namespace {

// Seconds, in the unit that gives at least one digit before the point.
std::string time_text(double seconds) {
  if (seconds >= 1) return tr("calculator.s", {significant(seconds, 4)});
  if (seconds >= 1e-3) return tr("calculator.ms", {significant(1e3 * seconds, 4)});
  if (seconds >= 1e-6) return tr("calculator.us", {significant(1e6 * seconds, 4)});
  return tr("calculator.ns", {significant(1e9 * seconds, 4)});
}

// A number as the panes show it.
std::string shown_count(const CalcNumber& number) {
  using As = CalcNumber::As;
  switch (number.as) {
    case As::count: return format_count(number.whole);
    case As::bytes: return format_bytes(static_cast<std::uint64_t>(number.whole));
    case As::memory: return binary_bytes(Count(number.whole));
    case As::seconds: return time_text(number.real);
    case As::large: return with_prefix(number.real);
    case As::ratio:
      return number.real > 0 && number.real < 1e-4 ? with_power(number.real, 2)
                                                   : significant(number.real, number.digits);
    case As::word: return number.word.str();
  }
  return {};
}

}  // namespace

void draw_calculator_lines(const CalcTable& lines, float width) {
  Table table = calculator_table(width, in_words(lines.header));
  for (const CalcLine& line : lines.lines) {
    std::vector<std::string> cells;
    for (const CalcNumber& number : line.numbers) cells.push_back(shown_count(number));
    add_calculator_line(table, line.name.str(), std::move(cells), line.strong);
  }
  draw_calculator_table(table, width);
}

}  // namespace attnscope
