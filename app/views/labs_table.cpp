#include "app/views/labs_table.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "app/look/kept_text.h"
#include "app/views/labs_pieces.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/pieces.h"
#include "app/widgets/table.h"

namespace attnscope {
namespace {

constexpr float kLowestRow = 12.f;  // units

/// A text of the picture, translated.
struct CellSaid {
  std::uint64_t serial;
  const std::string& operator()(const Text& text) const { return lab_words(text, serial); }
};

std::size_t labs_table_columns_of(const LabTable& table) {
  std::size_t columns = table.header.size();
  for (const auto& row : table.rows) columns = std::max(columns, row.size());
  return columns;
}

bool is_number(std::string_view text) {
  return text == "NaN" || text.find_first_of("0123456789+-<") == 0 || text.starts_with("±") ||
         text.starts_with("−");
}

// True for a column of text: some cells have letters, none is a number.
bool says_words(const LabTable& table, const CellSaid& said, std::size_t col) {
  bool letters = false;
  for (const auto& row : table.rows) {
    if (col >= row.size()) continue;
    const std::string& text = said(row[col]);
    if (is_number(text)) return false;
    letters |= std::any_of(text.begin(), text.end(), [](unsigned char c) {
      return (c < 0x80 && std::isalpha(c) != 0) || c >= 0xEA;  // letters from Hangul upwards
    });
  }
  return letters;
}

Table labs_table_of(const LabTable& table, const CellSaid& said) {
  Table out;
  for (std::size_t col = 0; col < labs_table_columns_of(table); ++col) {
    const bool words = col == 0 || says_words(table, said, col);
    out.columns.push_back({.kind = words ? TableColumn::Kind::text : TableColumn::Kind::number,
                           .title = col < table.header.size() ? said(table.header[col]) : std::string()});
  }
  for (const auto& row : table.rows) {
    out.rows.push_back({{}, {}, static_cast<int>(out.rows.size()) == table.lit});
    for (const Text& text : row) out.rows.back().cells.push_back({said(text)});
  }
  return out;
}

}  // namespace

void draw_lab_table(const LabTable& table, std::uint64_t serial, const std::string& key, ImVec2 at,
                    ImVec2 size) {
  const CellSaid said{serial};
  static std::unordered_map<std::string, Kept<Table>> kept;
  Table& made = kept[key].get({serial, reinterpret_cast<std::uintptr_t>(&table)},
                              [&] { return labs_table_of(table, said); });
  const float y = draw_lab_title(table.title, serial, at, size.x), least = scaled(kLowestRow);
  const float header = table.header.empty() ? 0.f : 1.f;
  const auto rows = static_cast<float>(std::max<std::size_t>(1, table.rows.size()));
  made.title_row = std::clamp((at.y + size.y - y) / (rows + header), least, scaled(20));
  made.row = std::clamp((at.y + size.y - y - header * made.title_row) / rows, least, scaled(42));
  made.lines = made.row >= text_size(fonts().body, "X").y;
  (void)draw_table(made, ImVec2(at.x, y), size.x);
}

float lab_table_width(const LabTable& table, std::uint64_t serial) {
  return table_width(labs_table_of(table, CellSaid{serial}));
}

}  // namespace attnscope
