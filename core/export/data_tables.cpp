// Tables for people: Markdown, LaTeX, and columns separated by tabs.
#include <cmath>

#include "core/base/text.h"
#include "core/export/data.h"

namespace attnscope {
namespace {

// Rows of texts; the first is the header, which may be empty.
struct TextTable {
  std::string title;
  std::vector<std::vector<std::string>> rows;
  std::size_t columns() const {
    std::size_t out = 0;
    for (const auto& row : rows) out = std::max(out, row.size());
    return out;
  }
};

// `exact`: all digits, else those of the figure.
std::string number_of(float value, int digits, bool exact) {
  return exact ? exact_text(value) : figure::number_text(static_cast<double>(value), digits);
}
// Masked cells are empty.
TextTable matrix_table(const FigureData& data, bool exact) {
  TextTable out{data.title, {{""}}};
  out.rows[0].insert(out.rows[0].end(), data.columns.begin(), data.columns.end());
  for (std::int64_t row = 0; row < data.values.size(0); ++row) {
    std::vector<std::string>& cells = out.rows.emplace_back();
    cells.push_back(data.rows[static_cast<std::size_t>(row)]);
    const int digits =
        row < std::ssize(data.row_digits) ? data.row_digits[static_cast<std::size_t>(row)] : data.digits;
    for (std::int64_t col = 0; col < data.values.size(1); ++col)
      cells.push_back(data.masked[static_cast<std::size_t>(row * data.values.size(1) + col)]
                          ? std::string()
                          : number_of(data.values.at(row, col), digits, exact));
  }
  return out;
}
TextTable plain_table(const FigureData& data) {
  TextTable out{data.title, {data.columns}};
  out.rows.insert(out.rows.end(), data.cells.begin(), data.cells.end());
  return out;
}
TextTable plot_table(const FigureData& data, std::size_t curve) {
  TextTable out{data.title, {{data.x_title, data.rows[curve]}}};
  for (const auto& [x, y] : data.curves[curve]) out.rows.push_back({exact_text(x), exact_text(y)});
  return out;
}
std::vector<TextTable> tables_of(const std::vector<FigureData>& data, bool exact) {
  std::vector<TextTable> out;
  for (const FigureData& one : data) {
    if (one.kind == FigureData::Kind::matrix) out.push_back(matrix_table(one, exact));
    if (one.kind == FigureData::Kind::table) out.push_back(plain_table(one));
    for (std::size_t curve = 0; curve < one.curves.size(); ++curve) out.push_back(plot_table(one, curve));
  }
  return out;
}

// `\\` and \midrule take a "[" or "*" behind them, of the next row, for their own.
std::string latex_text(const std::string& text) {
  std::string out = text.starts_with('[') || text.starts_with('*') ? "{}" : "";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    switch (next_code_point(text, at)) {
      case '\\': out += "\\textbackslash{}"; break;
      case '~': out += "\\textasciitilde{}"; break;
      case '^': out += "\\textasciicircum{}"; break;
      // Other signs in LaTeX's own font encoding (OT1).
      case '<': out += "\\textless{}"; break;
      case '>': out += "\\textgreater{}"; break;
      case '|': out += "\\textbar{}"; break;
      case '"': out += "{\\ttfamily\\char34}"; break;
      case '`': out += "\\textasciigrave{}"; break;
      case '-': out += at < text.size() && text[at] == '-' ? "-{}" : "-"; break;  // "--" is a dash
      case '{':
      case '}':
      case '$':
      case '&':
      case '#':
      case '_':
      case '%': out += "\\" + text.substr(begin, 1); break;
      case 0x2212: out += "$-$"; break;
      case 0x221E: out += "$\\infty$"; break;
      case '\n':
      case '\t': out += ' '; break;
      default: out += text.substr(begin, at - begin);
    }
  }
  return out;
}
std::string markdown_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("|\\`*_<>#[]").find(c) != std::string_view::npos) out += '\\';
    out += c == '\n' || c == '\t' ? ' ' : c;
  }
  return out;
}
std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\t' || c == '\r') c = ' ';
  return text;
}

std::string line_of(const std::vector<std::string>& cells, std::size_t columns, const char* between,
                    std::string (*written)(const std::string&)) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < columns; ++at) out.push_back(at < cells.size() ? written(cells[at]) : "");
  return join(out, between);
}
std::string markdown(const TextTable& table) {
  const std::size_t columns = table.columns();
  if (columns == 0) return {};
  std::string out = table.title.empty() ? "" : "**" + markdown_text(table.title) + "**\n\n";
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    out += "| " + line_of(table.rows[row], columns, " | ", markdown_text) + " |\n";
    if (row > 0) continue;
    out += "|---|";
    for (std::size_t at = 1; at < columns; ++at) out += "--:|";
    out += "\n";
  }
  return out + "\n";
}
std::string latex(const TextTable& table) {
  const std::size_t columns = table.columns();
  if (columns == 0) return {};
  std::string out = table.title.empty() ? "" : "% " + one_line(table.title) + "\n";
  out += "\\begin{tabular}{l" + std::string(columns - 1, 'r') + "}\n\\toprule\n";
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    if (row == 0 && table.rows[0].empty()) continue;
    out += line_of(table.rows[row], columns, " & ", latex_text) + " \\\\\n";
    if (row == 0) out += "\\midrule\n";
  }
  return out + "\\bottomrule\n\\end{tabular}\n\n";
}

}  // namespace

std::string table_text(const std::vector<FigureData>& data, bool as_markdown) {
  std::string out = as_markdown ? "" : "% \\usepackage{booktabs}\n";
  for (const TextTable& table : tables_of(data, false)) out += as_markdown ? markdown(table) : latex(table);
  return out;
}

std::string tab_separated(const std::vector<FigureData>& data) {
  std::string out;
  for (const TextTable& table : tables_of(data, true)) {
    if (!out.empty()) out += "\n";
    if (!table.title.empty()) out += one_line(table.title) + "\n";
    for (const auto& row : table.rows)
      if (!row.empty())
        out += line_of(row, row.size(), "\t", [](const std::string& text) { return one_line(text); }) + "\n";
  }
  return out;
}

}  // namespace attnscope
