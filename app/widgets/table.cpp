#include "app/widgets/table.h"

#include <algorithm>
#include <numeric>

#include "app/look/item_map.h"
#include "app/look/text_lines.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/pieces.h"

namespace attnscope {
namespace {

using TableKind = TableColumn::Kind;

constexpr float kTableGap = 10.f, kTableLeastWords = 44.f, kTableMostSpread = 36.f, kTablePad = 4.f;  // units
constexpr float kTableMostName = 0.45f;  // of the width, beside a column with a share

// A text takes the room of the empty cells behind it.
bool is_empty(const TableCell& cell) { return cell.text.empty() && std::isnan(cell.bar); }

struct TableFonts {
  ImFont *words, *digits;
};

ImFont* font_of(const TableFonts& fonts, const TableColumn& column, const TableCell& cell) {
  return cell.font ? cell.font : column.kind == TableKind::text ? fonts.words : fonts.digits;
}

// Low rows have small letters.
TableFonts fonts_of(const Table& table) {
  TableFonts out{table.words ? table.words : fonts().body, table.digits ? table.digits : fonts().mono};
  const bool low = table.row > 0 && table.row < text_size(out.words, "X").y;
  return low ? TableFonts{fonts().small, fonts().mono_small} : out;
}

float pad_of(const Table& table) {
  return !table.rows.empty() && !table.rows.front().id.empty() ? scaled(kTablePad) : 0.f;
}

bool titled(const Table& table) {
  return std::any_of(table.columns.begin(), table.columns.end(),
                     [](const TableColumn& column) { return !column.title.empty(); });
}

float title_height(const Table& table) {
  if (!titled(table)) return 0;
  return table.title_row > 0 ? table.title_row : text_size(fonts().small, "X").y + scaled(4);
}

float row_height(const Table& table) {
  return table.row > 0 ? table.row : text_size(fonts_of(table).words, "X").y + scaled(4);
}

float widest_text(const Table& table, const TableFonts& faces, std::size_t col) {
  const TableColumn& column = table.columns[col];
  float out = text_size(fonts().small, column.title).x;
  for (const TableRow& row : table.rows)
    if (col < row.cells.size())
      out = std::max(out, text_size(font_of(faces, column, row.cells[col]), row.cells[col].text).x);
  return out;
}

// Shrinks the widest columns until their sum is at most `width`.
void narrow_widest(std::vector<float*> widths, float width) {
  std::sort(widths.begin(), widths.end(), [](const float* a, const float* b) { return *a < *b; });
  for (std::size_t i = 0; i < widths.size(); width -= *widths[i++]) {
    const float most = std::max(0.f, width) / static_cast<float>(widths.size() - i);  // equal share of each
    for (float* one : widths) *one = *widths[i] > most ? std::min(*one, most) : *one;
  }
}

// Widths where nothing has a share; true if they fit.
bool fits_texts(const Table& table, const TableFonts& faces, float width, std::vector<float>& out) {
  const bool shares = std::any_of(table.columns.begin(), table.columns.end(),
                                  [](const TableColumn& column) { return column.share > 0; });
  out.clear();
  for (std::size_t col = 0; col < table.columns.size(); ++col) {
    const TableColumn& column = table.columns[col];
    float wide = column.width > 0 || column.share > 0 ? column.width
                                                      : widest_text(table, faces, col) + scaled(kTableGap);
    if (shares && column.kind == TableKind::text && column.width <= 0)
      wide = std::min(wide, width * kTableMostName);
    out.push_back(wide);
  }
  return std::accumulate(out.begin(), out.end(), 0.f) <= width;
}

// Words give way before numbers.
void narrow_texts(const Table& table, float width, std::vector<float>& out) {
  std::vector<float*> words, any;
  float numbers = 0;
  for (std::size_t col = 0; col < out.size(); ++col) {
    const bool word = table.columns[col].kind == TableKind::text;
    any.push_back(&out[col]);
    if (word) words.push_back(&out[col]);
    if (!word) numbers += out[col];
  }
  const bool roomy = width - numbers >= scaled(kTableLeastWords) * static_cast<float>(words.size());
  narrow_widest(roomy ? words : any, roomy ? width - numbers : width);
}

TableFonts place_columns(const Table& table, float width, std::vector<float>& out) {
  TableFonts faces = fonts_of(table);
  if (!fits_texts(table, faces, width, out) && !table.digits) {
    faces.digits = fonts().mono_small;
    fits_texts(table, faces, width, out);
  }
  float shares = 0, left = width - std::accumulate(out.begin(), out.end(), 0.f);
  for (const TableColumn& column : table.columns) shares += column.share;
  if (left < 0) narrow_texts(table, width, out), left = 0;
  const float spread =
      std::min(left / static_cast<float>(std::max<std::size_t>(1, out.size())), scaled(kTableMostSpread));
  for (std::size_t col = 0; col < out.size(); ++col)
    if (shares > 0)
      out[col] += left * table.columns[col].share / shares;
    else if (table.columns[col].width <= 0 && out.size() > 1)
      out[col] += spread;
  return faces;
}

// The space at which the wider half is narrowest; the end if there is no space.
std::size_t middle_space(ImFont* font, std::string_view words) {
  std::size_t best = words.size();
  float least = text_size(font, words).x;
  for (std::size_t at = words.find(' '); at < words.size(); at = words.find(' ', at + 1)) {
    const float wider =
        std::max(text_size(font, words.substr(0, at)).x, text_size(font, words.substr(at + 1)).x);
    if (wider < least) least = wider, best = at;
  }
  return best;
}

// In two lines of the small font if one line is too narrow and the row is high enough.
void draw_words(const Canvas& canvas, ImFont* font, ImU32 colour, std::string_view words, ImVec2 at,
                float width, float height) {
  const float line = text_size(fonts().small, "X").y;
  const bool fits = text_size(font, words).x <= width, one = fits || height < 2 * line;
  if (!fits && text_size(fonts().small, "X").y < text_size(font, "X").y) font = fonts().small;
  const std::size_t middle = one ? words.size() : middle_space(fonts().small, words);
  if (middle == words.size()) {
    const float drop = (height - text_size(font, "X").y) / 2;
    const FittedText shown = fitted_text(font, words, width);
    return canvas.text(font, ImVec2(at.x, at.y + drop), colour, shown.text, shown.size);
  }
  const float top = at.y + (height - 2 * line) / 2;
  const auto put = [&](std::string_view part, float y) {
    const FittedText shown = fitted_text(fonts().small, part, width);
    canvas.text(fonts().small, ImVec2(at.x, y), colour, shown.text, shown.size);
  };
  put(words.substr(0, middle), top), put(words.substr(middle + 1), top + line);
}

// Values at the ends of the bars of a column.
struct TableScale {
  double least = 0, most = 1e-12;
};
TableScale scale_of(const Table& table, std::size_t col) {
  TableScale out;
  for (const TableRow& row : table.rows)
    if (col < row.cells.size() && std::isfinite(row.cells[col].bar)) {
      out.least = std::min(out.least, row.cells[col].bar);
      out.most = std::max({out.most, row.cells[col].bar, row.cells[col].ghost});
    }
  if (table.columns[col].kind != TableKind::bar_number)
    out.most = std::max(out.most, -out.least), out.least = 0;
  if (table.columns[col].most > 0) out.most = table.columns[col].most;
  return out;
}

struct TablePainter {
  const Table& table;
  const TableFonts& faces;
  const std::vector<TableScale>& scales;
  Canvas canvas = {};

  void number(ImFont* font, ImU32 ink, const std::string& text, ImVec2 at, float width, float height) const {
    if (text_size(font, text).x > width) font = fonts().mono_small;
    const FittedText shown = fitted_text(font, text, width);
    const float high = text_size(font, shown.text).y;
    canvas.text(font, ImVec2(at.x + width - shown.width, at.y + (height - high) / 2), ink, shown.text,
                shown.size);
  }
  void bar(float x0, float x1, float y0, float y1, ImU32 ink) const {
    canvas.fill_rect(ImVec2(std::min(x0, x1), y0),
                     ImVec2(std::max({x0, x1, std::min(x0, x1) + scaled(1)}), y1),
                     ink ? ink : theme().attention, scaled(2));
  }
  void ghost(const TableCell& cell, const TableScale& scale, ImVec2 at, float width, float height) const {
    const ImVec2 p0(at.x, at.y + height * 0.2f),
        p1(at.x + width * static_cast<float>(cell.ghost / scale.most), at.y + height * 0.8f);
    canvas.fill_rect(p0, p1, with_alpha(cell.bar_ink, 0.25f), scaled(2));
    canvas.rect(p0, p1, with_alpha(cell.bar_ink, 0.6f), scaled(2));
  }
  void signed_bar(ImFont* font, ImU32 ink, const TableCell& cell, const TableScale& scale, ImVec2 at,
                  float width, float height) const {
    const float number = text_size(font, "00.0000").x + scaled(8), left = scale.least < 0 ? number : 0;
    const float unit =
        std::max(1.f, width - number - left) / static_cast<float>(std::max(1e-12, scale.most - scale.least));
    const float zero = at.x + left - static_cast<float>(scale.least) * unit;
    const float end = zero + static_cast<float>(cell.bar) * unit;
    bar(zero, end, at.y + height * 0.2f, at.y + height * 0.8f, cell.bar_ink);
    if (scale.least < 0) canvas.line(ImVec2(zero, at.y), ImVec2(zero, at.y + height), theme().border);
    const ImVec2 size = text_size(font, cell.text);
    draw_text(canvas, font,
              ImVec2(cell.bar < 0 ? end - size.x - scaled(6) : end + scaled(6), at.y + (height - size.y) / 2),
              ink, cell.text);
  }
  void cell(std::size_t col, const TableCell& cell, ImVec2 at, float width, float height) const {
    const TableColumn& column = table.columns[col];
    ImFont* const font = font_of(faces, column, cell);
    const ImU32 ink = cell.ink ? cell.ink : theme().text;
    if (column.kind == TableKind::text) {
      note_text(cell.text);
      return draw_words(canvas, font, ink, cell.text, at, width, height);
    }
    const TableScale& scale = scales[col];
    if (column.kind == TableKind::bar_number && std::isfinite(cell.bar))
      return signed_bar(font, ink, cell, scale, at, width, height);
    if (std::isfinite(cell.bar)) {
      if (cell.ghost > cell.bar) ghost(cell, scale, at, width, height);
      bar(at.x, at.x + width * static_cast<float>(std::min(1.0, std::fabs(cell.bar) / scale.most)),
          at.y + height * 0.2f, at.y + height * 0.8f, cell.bar_ink);
    }
    number(font, ink, cell.text, at, width, height);
  }
  void titles(const std::vector<float>& widths, ImVec2 at, float pad) const {
    for (std::size_t col = 0; col < widths.size(); at.x += widths[col++]) {
      const TableColumn& column = table.columns[col];
      const bool right = column.kind == TableKind::number;
      const float room = widths[col] - (col + 1 < widths.size() || pad > 0 ? scaled(kTableGap) : 0);
      const FittedText shown = fitted_text(fonts().small, column.title, room);
      canvas.text(fonts().small, ImVec2(right ? at.x + room - shown.width : at.x, at.y),
                  column.ink ? column.ink : theme().text_dim, shown.text, shown.size);
    }
  }
};

}  // namespace

float table_height(const Table& table) {
  return title_height(table) + row_height(table) * static_cast<float>(table.rows.size());
}

float table_width(const Table& table) {
  const TableFonts faces = fonts_of(table);
  float out = pad_of(table);
  for (std::size_t col = 0; col < table.columns.size(); ++col)
    out += table.columns[col].width > 0 ? table.columns[col].width
                                        : widest_text(table, faces, col) + scaled(kTableGap);
  return out;
}

void widen_by_need(std::vector<float>& widths, const std::vector<float>& needs, float kept) {
  float wanted = 0, spare = 0;
  const auto spared = [&](std::size_t i) {
    return std::max(0.f, widths[i] - std::max(needs[i], kept * widths[i]));
  };
  for (std::size_t i = 0; i < widths.size(); ++i)
    wanted += std::max(0.f, needs[i] - widths[i]), spare += spared(i);
  if (wanted <= 0 || spare <= 0) return;
  const float moved = std::min(wanted, spare);
  for (std::size_t i = 0; i < widths.size(); ++i)
    widths[i] += widths[i] < needs[i] ? (needs[i] - widths[i]) * moved / wanted : -spared(i) * moved / spare;
}

TableEvent draw_table(const Table& table, ImVec2 at, float width, const std::function<void(int row)>& item) {
  static std::vector<float> widths;
  const float pad = pad_of(table), row = row_height(table);
  const TableFonts faces = place_columns(table, width - pad, widths);
  static std::vector<TableScale> scales;
  scales.clear();
  for (std::size_t col = 0; col < widths.size(); ++col) scales.push_back(scale_of(table, col));
  const TablePainter painter{table, faces, scales};
  const float wide = std::min(width, std::accumulate(widths.begin(), widths.end(), pad));
  if (titled(table)) painter.titles(widths, ImVec2(at.x + pad, at.y), pad);
  TableEvent out;
  ImVec2 p(at.x, at.y + title_height(table));
  for (int i = 0; i < static_cast<int>(table.rows.size()); ++i, p.y += row) {
    const TableRow& line = table.rows[static_cast<std::size_t>(i)];
    const ImVec2 end(at.x + wide, p.y + row);
    if (!ImGui::IsRectVisible(p, end)) continue;
    bool hovered = false;
    if (!line.id.empty()) {
      ImGui::SetCursorScreenPos(p);
      if (hit_area(line.id.c_str(), ImVec2(std::max(1.f, wide), row))) out.clicked = i;
      note_item(line.id);
      if ((hovered = ImGui::IsItemHovered())) out.hovered = i;
      if (item) {
        const TooltipsBeside beside;
        item(i);
      }
    }
    if (line.lit || hovered)
      painter.canvas.fill_rect(p, end, line.lit ? theme().accent_soft : theme().hovered, scaled(4));
    if (table.lines && p.y > at.y)
      painter.canvas.line(p, ImVec2(end.x, p.y), with_alpha(theme().border, 0.7f));
    float x = at.x + pad;
    const std::size_t cells = std::min(widths.size(), line.cells.size());
    for (std::size_t col = 0, next = 0; col < cells; col = next) {
      float room = widths[col];
      const bool words = table.columns[col].kind == TableKind::text;  // a number stands under its title
      for (next = col + 1; words && next < cells && is_empty(line.cells[next]); ++next) room += widths[next];
      painter.cell(col, line.cells[col], ImVec2(x, p.y),
                   room - (next < widths.size() || pad > 0 ? scaled(kTableGap) : 0), row);
      x += room;
    }
  }
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy(ImVec2(wide, std::max(0.f, p.y - at.y - ImGui::GetStyle().ItemSpacing.y)));
  return out;
}

}  // namespace attnscope
