// Rows of a name, a bar and numbers.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/figure/marks.h"

namespace attnscope::figure {
namespace {

constexpr std::array<Give, 5> kTableGives{Give::shorter_words, Give::short_names, Give::fewer_rows,
                                          Give::fewest_rows, Give::left_out};
constexpr float kLongRowName = 260, kShortRowName = 100, kBetween = 12;
constexpr std::size_t kFewest = 3;
constexpr float kBarLeast = 2.7f, kBarNatural = 10, kBarMost = 28;  // em
constexpr std::size_t kSentence =
    16;  // bytes: a longer cell with blanks is words and may be cut, a number not

const TableMark& table_in(const Part& part) { return std::get<TableMark>(part.mark); }
bool has_bars(const TableMark& table) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [](const auto& row) { return row.bar.has_value(); });
}
std::size_t columns_in(const TableMark& table) {
  std::size_t out = table.header.size();
  for (const TableMark::Row& row : table.rows) out = std::max(out, row.cells.size());
  return out;
}
std::size_t rows_in(const TableMark& table, const Form& form) {
  const std::size_t all = table.rows.size();
  if (form.has(Give::fewest_rows)) return std::min(all, kFewest);
  if (form.has(Give::fewer_rows)) return std::min(all, std::max(kFewest, (all + 1) / 2));
  return all;
}
bool has_rest(const TableMark& table, std::size_t shown) {
  return table.others > 0 || shown < table.rows.size();
}
float line_height(const LetterSizes& look) { return look.body * 1.5f; }
std::string others_text(const TableMark& table, std::size_t shown) {
  return tr("figure.others",
            {std::to_string(table.others + static_cast<std::int64_t>(table.rows.size() - shown))});
}

// A column of sentences, none of which begins with a number: its cells may be cut, numbers never.
bool is_words(const TableMark& table, std::size_t col) {
  bool words = false;
  for (const TableMark::Row& row : table.rows) {
    const std::string cell = col < row.cells.size() ? row.cells[col].str() : std::string();
    if (!cell.empty() && std::isdigit(static_cast<unsigned char>(cell.front()))) return false;
    words = words || (cell.size() > kSentence && cell.find(' ') != std::string::npos);
  }
  return words;
}
std::vector<float> column_widths(const TableMark& table, const Form& form, const MarkContext& context) {
  const float em = context.look.body;
  const float limit = (form.has(Give::short_names) ? kShortRowName : kLongRowName) * em / 15;
  std::vector<float> out(columns_in(table), 0);
  for (std::size_t col = 0; col < out.size(); ++col) {
    const Face face = col == 0 || is_words(table, col) ? Face::sans : Face::mono;
    if (col < table.header.size())
      out[col] = context.measure.width(table.header[col].str(), context.look.small, Face::sans);
    for (const TableMark::Row& row : table.rows)
      if (col < row.cells.size())
        out[col] = std::max(out[col], context.measure.width(row.cells[col].str(), em, face));
    if (col == 0) {
      const float others = context.measure.width(others_text(table, 0), em, Face::sans);
      out[col] = std::max(std::min(out[col], limit), others);
    } else if (form.has(Give::short_names) && is_words(table, col)) {
      out[col] = std::min(out[col], kLongRowName * em / 15);
    }
  }
  return out;
}
float fixed_width(const TableMark& table, const Form& form, const MarkContext& context) {
  float out = -kBetween;
  for (const float wide : column_widths(table, form, context)) out += wide + kBetween;
  return std::max(0.f, out);
}

SizeNeed table_width(const Part& part, const Form& form, const MarkContext& context) {
  const TableMark& table = table_in(part);
  const float title = context.measure.width(title_of(part, form), context.look.body, Face::bold) + 1;
  const float fixed = std::max(title, fixed_width(table, form, context) + 1), em = context.look.body;
  if (!has_bars(table)) return {fixed, fixed, fixed};
  return {fixed + kBarLeast * em + kBetween, fixed + kBarNatural * em + kBetween,
          fixed + kBarMost * em + kBetween};
}
SizeNeed table_height(const Part& part, const Form& form, float, const MarkContext& context) {
  const TableMark& table = table_in(part);
  const std::size_t shown = rows_in(table, form);
  const float lines = static_cast<float>(shown + (has_rest(table, shown) ? 1 : 0));
  const float height = title_height(part, form, context.look) + lines * line_height(context.look) +
                       (table.header.empty() ? 0 : context.look.small * 1.5f);
  return {height, height, height};
}
void settle_table(PlacedPart& placed, const MarkContext&) {
  placed.rows = static_cast<std::int64_t>(rows_in(table_in(*placed.part), placed.form));
}

class TableDrawing {
 public:
  TableDrawing(const PlacedPart& placed, Drawing& out, const MarkContext& context)
      : placed_(placed),
        table_(table_in(*placed.part)),
        out_(out),
        context_(context),
        widths_(column_widths(table_, placed.form, context)),
        y_(placed.box.y) {
    const float fixed = fixed_width(table_, placed.form, context);
    for (std::size_t col = 0; col < widths_.size(); ++col) words_.push_back(is_words(table_, col));
    bar_ = has_bars(table_)
               ? std::clamp(placed.box.w - fixed - kBetween - 1, 0.f, kBarMost * context.look.body)
               : 0;
  }
  void draw() {
    if (const std::string title = title_of(*placed_.part, placed_.form); !title.empty()) {
      put(title, placed_.box.x, placed_.box.w, context_.look.body, Face::bold, Ink::text, false);
      y_ += title_height(*placed_.part, placed_.form, context_.look);
    }
    if (!table_.header.empty()) {
      texts(table_.header, context_.look.small, Ink::dim, true);
      y_ += context_.look.small * 1.5f;
    }
    for (std::int64_t at = 0; at < placed_.rows; ++at) row(table_.rows[static_cast<std::size_t>(at)]);
    if (has_rest(table_, static_cast<std::size_t>(placed_.rows))) rest();
  }

 private:
  void put(const std::string& text, float x, float room, float em, Face face, Ink ink, bool right) {
    const std::string shown = context_.measure.fitted(text, em, face, room + 0.5f);
    const float from = right ? x + room - context_.measure.width(shown, em, face) : x;
    out_.text(shown, from, y_ + em * (kAscent + 0.1f), em, face, out_.colours().ink(ink),
              {x, y_, room + 1, em * 1.5f});
  }
  // The bar stands behind the name.
  void texts(const std::vector<Text>& cells, float em, Ink ink, bool header) {
    float x = placed_.box.x;
    for (std::size_t col = 0; col < cells.size(); ++col) {
      const bool name = col == 0;
      const bool words = name || words_[col];
      put(cells[col].str(), x, widths_[col], em, words || header ? Face::sans : Face::mono, ink, !words);
      x += widths_[col] + kBetween + (name && bar_ > 0 ? bar_ + kBetween : 0);
    }
  }
  void row(const TableMark::Row& row) {
    const float tall = line_height(context_.look);
    const Palette& colours = out_.colours();
    texts(row.cells, context_.look.body, row.lit ? Ink::accent : Ink::text, false);
    const float x = placed_.box.x + widths_[0] + kBetween;
    const auto length = [&](double value) {
      return table_.most > 0 && std::isfinite(value)
                 ? bar_ * static_cast<float>(std::clamp(value / table_.most, 0.0, 1.0))
                 : 0.f;
    };
    if (row.bar && bar_ > 0) {
      out_.rect({x, y_ + tall * 0.2f, bar_, tall * 0.5f}, colours.panel);
      out_.rect({x, y_ + tall * 0.2f, length(*row.bar), tall * 0.5f},
                colours.ink(row.lit ? Ink::accent : Ink::key));
    }
    if (row.before && bar_ > 0)
      out_.rect({x, y_ + tall * 0.15f, length(*row.before), tall * 0.6f}, colours.ink(Ink::dim),
                DrawnShape::Kind::frame);
    y_ += tall;
  }
  // The rows that are not shown, added up where they are numbers that add.
  void rest() {
    const auto shown = static_cast<std::size_t>(placed_.rows);
    std::vector<Text> cells{Text(others_text(table_, shown))};
    if (table_.rest && widths_.size() > 1) {
      double sum = *table_.rest;
      for (std::size_t at = shown; at < table_.rows.size(); ++at) sum += table_.rows[at].bar.value_or(0);
      cells.emplace_back(number_text(sum, 3));
    }
    texts(cells, context_.look.body, Ink::dim, false);
    y_ += line_height(context_.look);
  }

  const PlacedPart& placed_;
  const TableMark& table_;
  Drawing& out_;
  const MarkContext& context_;
  std::vector<float> widths_;
  std::vector<bool> words_;  // by column: begins at the left, as sentences do
  float y_, bar_ = 0;
};
void draw_table(const PlacedPart& placed, Drawing& out, const MarkContext& context) {
  TableDrawing(placed, out, context).draw();
}

}  // namespace

const MarkRules kTableRules{kTableGives, table_width, table_height, settle_table, draw_table};

}  // namespace attnscope::figure
