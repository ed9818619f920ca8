#include "app/views/labs_table.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "app/figure/canvas.h"
#include "app/look/kept_text.h"
#include "app/views/labs_pieces.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/pieces.h"

namespace attnscope {
namespace {

constexpr float kLowestRow = 12.f, kColumnGap = 12.f, kLeastWords = 44.f;  // units

/// A text of the picture, translated.
struct Said {
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
bool says_words(const LabTable& table, const Said& said, std::size_t col) {
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

// Shrinks the widest columns until their sum is at most `width`.
void narrow_widest(std::vector<float*> widths, float width) {
  std::sort(widths.begin(), widths.end(), [](const float* a, const float* b) { return *a < *b; });
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const float most = std::max(0.f, width) / static_cast<float>(widths.size() - i);  // equal share of each
    if (*widths[i] > most)
      for (float* one : widths) *one = std::min(*one, most);
    width -= *widths[i];
  }
}

struct LabsTableColumns {
  std::vector<bool> wordy;
  std::vector<float> widths;
  ImFont* digits = nullptr;  ///< of all numbers
};

// What each column needs where numbers stand in `digits`.
std::vector<float> needed_widths(const LabTable& table, const Said& said, const std::vector<bool>& wordy,
                                 ImFont* digits) {
  std::vector<float> widths(wordy.size(), 0.f);
  for (std::size_t col = 0; col < widths.size(); ++col) {
    ImFont* const font = wordy[col] ? fonts().body : digits;
    if (col < table.header.size()) widths[col] = text_size(fonts().small, said(table.header[col])).x;
    for (const auto& row : table.rows)
      if (col < row.size()) widths[col] = std::max(widths[col], text_size(font, said(row[col])).x);
    widths[col] += scaled(kColumnGap);
  }
  return widths;
}

// Where there is no room for all of it, numbers are written smaller, and words give way before them.
LabsTableColumns fitted_columns(const LabTable& table, const Said& said, float width) {
  std::vector<bool> wordy;
  for (std::size_t col = 0; col < labs_table_columns_of(table); ++col)
    wordy.push_back(col == 0 || says_words(table, said, col));
  ImFont* digits = fonts().mono;
  std::vector<float> widths = needed_widths(table, said, wordy, digits);
  const auto sum = [&] { return std::accumulate(widths.begin(), widths.end(), 0.f); };
  if (sum() > width) {
    digits = fonts().mono_small;
    widths = needed_widths(table, said, wordy, digits);
  }
  float numbers = 0;
  std::vector<float*> words, any;
  for (std::size_t col = 0; col < widths.size(); ++col) {
    if (!wordy[col]) numbers += widths[col];
    if (wordy[col]) words.push_back(&widths[col]);
    any.push_back(&widths[col]);
  }
  const float all = sum(), least = scaled(kLeastWords) * static_cast<float>(words.size());
  if (all > width && width - numbers >= least)
    narrow_widest(words, width - numbers);
  else if (all > width)
    narrow_widest(any, width);
  else if (widths.size() > 1)
    for (float& one : widths) one += std::min((width - all) / static_cast<float>(widths.size()), scaled(36));
  return {std::move(wordy), std::move(widths), digits};
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

// Text in a row of this height: in two lines of the small font if one line is too narrow.
void labs_table_draw_words(const Canvas& canvas, ImFont* font, ImU32 colour, std::string_view words,
                           ImVec2 at, float width, float height) {
  const float line = text_size(fonts().small, "X").y;
  const bool fits = text_size(font, words).x <= width;
  if (!fits && height < 2 * line) font = fonts().small;
  const std::size_t middle = fits || height < 2 * line ? words.size() : middle_space(fonts().small, words);
  if (middle == words.size()) {
    const float drop = (height - text_size(font, "X").y) / 2;
    return draw_text(canvas, font, ImVec2(at.x, at.y + drop), colour, middle_truncated(font, words, width));
  }
  const float top = at.y + (height - 2 * line) / 2;
  draw_text(canvas, fonts().small, ImVec2(at.x, top), colour,
            middle_truncated(fonts().small, words.substr(0, middle), width));
  draw_text(canvas, fonts().small, ImVec2(at.x, top + line), colour,
            middle_truncated(fonts().small, words.substr(middle + 1), width));
}

}  // namespace

void draw_lab_table(const LabTable& table, std::uint64_t serial, const std::string& key, ImVec2 at,
                    ImVec2 size) {
  const Said said{serial};
  static std::unordered_map<std::string, Kept<LabsTableColumns>> kept;
  const LabsTableColumns& fit =
      kept[key].get({serial, reinterpret_cast<std::uintptr_t>(&table), std::bit_cast<std::uint32_t>(size.x)},
                    [&] { return fitted_columns(table, said, size.x); });
  float y = draw_lab_title(table.title, serial, at, size.x), all = 0;
  for (const float one : fit.widths) all += one;
  const Canvas canvas;
  const auto cell = [&](ImFont* font, ImU32 colour, const Text& text, std::size_t col, float x,
                        float height) {
    const float width = fit.widths[col] - scaled(kColumnGap / 2);
    const float left = col == 0 ? 0 : scaled(kColumnGap / 2);
    if (fit.wordy[col])
      return labs_table_draw_words(canvas, font, colour, said(text), ImVec2(x + left, y), width, height);
    if (text_size(font, said(text)).x > width) font = fonts().mono_small;
    const auto number = middle_truncated(font, said(text), width);
    const float right = fit.widths[col] - text_size(font, number).x - scaled(6);
    draw_text(canvas, font, ImVec2(x + right, y + (height - text_size(font, "X").y) / 2), colour, number);
  };
  const auto row_of = [&](const std::vector<Text>& row, bool header, float height) {
    const bool low = height < text_size(fonts().body, "X").y;
    float x = at.x;
    for (std::size_t col = 0; col < row.size(); ++col) {
      ImFont* font = low ? fonts().mono_small : fit.digits;
      if (col == 0 || fit.wordy[col]) font = low ? fonts().small : fonts().body;
      if (header) font = fonts().small;
      cell(font, header ? theme().text_dim : theme().text, row[col], col, x, height);
      x += fit.widths[col];
    }
    y += height;
    if (header || !low) canvas.line(ImVec2(at.x, y), ImVec2(at.x + all, y), theme().border);
  };
  const float header = table.header.empty() ? 0.f : 1.f, least = scaled(kLowestRow);
  const float rows = static_cast<float>(std::max<std::size_t>(1, table.rows.size()));
  const float top = std::clamp((at.y + size.y - y) / (rows + header), least, scaled(20));
  if (header > 0) row_of(table.header, true, top);
  const float height = std::clamp((at.y + size.y - y) / rows, least, scaled(42));
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (static_cast<int>(i) == table.lit)
      canvas.fill_rect(ImVec2(at.x, y), ImVec2(at.x + all, y + height), theme().accent_soft, scaled(3));
    row_of(table.rows[i], false, height);
  }
}

}  // namespace attnscope
