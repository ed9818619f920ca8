// Rows of a name, a bar and numbers.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "core/base/percent.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/figure/marks.h"

namespace attnscope::figure {
namespace {

// names: columns of words but the first, and what they are the share of.
constexpr std::array<Give, 6> kTableGives{Give::shorter_words, Give::short_names, Give::fewer_rows,
                                          Give::fewest_rows,   Give::names,       Give::left_out};
constexpr float kLongRowName = 260, kShortRowName = 100, kBetween = 12;
constexpr float kMostBetween = 3;  // em: more than kBetween where no bars take a free width
constexpr std::size_t kFewest = 3, kFew = 16;
constexpr float kBarLeast = 2.7f, kBarNatural = 10, kBarMost = 28, kWideBar = 64;  // em
constexpr SizeNeed kShareBar{2.7f, 6, 10};                                         // em
constexpr float kRound = 3, kLeastBar = 2;                                         // pixels
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
  if (form.has(Give::fewer_rows)) return std::clamp((all + 1) / 2, std::min(all, kFewest), kFew);
  return all;
}
bool has_rest(const TableMark& table, std::size_t shown) {
  return table.others > 0 || shown < table.rows.size();
}
// Heights of a row by its letters; the row that leads is taller, as its letters are.
constexpr SizeNeed kRowHeight{1.6f, 1.9f, 2.3f}, kTallRow{1.6f, 2.1f, 3.6f};  // em
const SizeNeed& row_height(const TableMark& table) { return table.tall ? kTallRow : kRowHeight; }
constexpr float kLead = 1.25f;
float bar_most(const TableMark& table) { return table.wide ? kWideBar : kBarMost; }
float lead_of(const TableMark& table) { return table.leads ? kLead : 1.f; }
float head_em(const LetterSizes& look) { return std::max(look.small, 0.9f * look.body); }
float pad_of(const TableMark& table, const LetterSizes& look) {
  return table.card == TableMark::Card::none ? 0 : look.gap;
}
// Heights of rows that the table is tall.
float rows_tall(const TableMark& table, std::size_t shown) {
  return static_cast<float>(shown + (has_rest(table, shown) ? 1 : 0)) + lead_of(table) - 1;
}
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
// A column without a single digit, as sentences and as pieces of words are: it begins at the left.
bool is_text(const TableMark& table, std::size_t col) {
  bool some = false;
  for (const TableMark::Row& row : table.rows) {
    const std::string cell = col < row.cells.size() ? row.cells[col].str() : std::string();
    if (std::any_of(cell.begin(), cell.end(), [](unsigned char c) { return std::isdigit(c); })) return false;
    some = some || std::any_of(cell.begin(), cell.end(), [](unsigned char c) { return std::isalpha(c); });
  }
  return some;
}
std::vector<float> column_widths(const TableMark& table, const Form& form, const MarkContext& context) {
  const float em = context.look.body;
  const float limit = (form.has(Give::short_names) ? kShortRowName : kLongRowName) * em / 15;
  std::vector<float> out(columns_in(table), 0);
  for (std::size_t col = 0; col < out.size(); ++col) {
    const bool said = static_cast<int>(col) == table.said,
               share = table.said >= 0 && static_cast<int>(col) == table.said + 1;
    if (col > 0 && form.has(Give::names) && (said || share || is_words(table, col))) {
      out[col] = -kBetween;
      continue;
    }
    const bool text = col == 0 || is_words(table, col) || is_text(table, col);
    const Face face = said ? Face::bold : text ? Face::sans : Face::mono;
    if (col < table.header.size())
      out[col] = context.measure.width(table.header[col].str(), head_em(context.look), Face::sans);
    if (said && !form.has(Give::short_names))  // reaches over the bars of shares
      out[col] = std::max(0.f, out[col] - kShareBar.least * em);
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      const std::vector<Text>& cells = table.rows[row].cells;
      const bool lead = row == 0 && table.leads;
      if (col < cells.size())
        out[col] = std::max(out[col], context.measure.width(cells[col].str(), em * (lead ? kLead : 1.f),
                                                            lead && col == 0 ? Face::bold : face));
    }
    if (table.rest && table.shares && col == 1)
      out[col] = std::max(out[col], context.measure.width(percent_text(1), em, face));
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
  return std::max(0.f, out) + 2 * pad_of(table, context.look);
}

// The bars of shares, which the narrowest form does without.
SizeNeed share_width(const TableMark& table, const Form& form, float em) {
  if (table.said < 0 || form.has(Give::short_names) || form.has(Give::names)) return {};
  return {kShareBar.least * em + kBetween, kShareBar.natural * em + kBetween, kShareBar.most * em + kBetween};
}

SizeNeed table_width(const Part& part, const Form& form, const MarkContext& context) {
  const TableMark& table = table_in(part);
  const float title = context.measure.width(title_of(part, form), context.look.body, Face::bold) + 1;
  const float fixed =
                  std::max(title + 2 * pad_of(table, context.look), fixed_width(table, form, context) + 1),
              em = context.look.body;
  if (!has_bars(table)) {  // columns stand further apart where nothing else takes the width
    const auto gaps = static_cast<float>(std::max<std::size_t>(1, columns_in(table)) - 1);
    return {fixed, fixed, fixed + gaps * std::max(0.f, kMostBetween * em - kBetween)};
  }
  const SizeNeed share = share_width(table, form, em);
  return {fixed + kBarLeast * em + kBetween + share.least,
          fixed + kBarNatural * em + kBetween + share.natural,
          fixed + bar_most(table) * em + kBetween + share.most};
}
// All but the rows.
float head_height(const Part& part, const Form& form, const LetterSizes& look) {
  const TableMark& table = table_in(part);
  return title_height(part, form, look) + (table.header.empty() ? 0 : head_em(look) * 1.5f) +
         2 * pad_of(table, look);
}
SizeNeed table_height(const Part& part, const Form& form, float, const MarkContext& context) {
  const TableMark& table = table_in(part);
  const std::size_t shown = rows_in(table, form);
  const float lines = rows_tall(table, shown) * context.look.body,
              fixed = head_height(part, form, context.look);
  const SizeNeed& row = row_height(table);
  return {fixed + lines * row.least, fixed + lines * row.natural, fixed + lines * row.most};
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
        pad_(pad_of(table_, context.look)),
        x_(placed.box.x + pad_),
        y_(placed.box.y + pad_) {
    const float fixed = fixed_width(table_, placed.form, context), em = context.look.body;
    const float head = head_height(*placed.part, placed.form, context.look),
                rows = rows_tall(table_, static_cast<std::size_t>(placed.rows));
    const SizeNeed& height = row_height(table_);
    tall_ = std::clamp((placed.box.h - head) / std::max(1.f, rows), height.least * em, height.most * em);
    for (std::size_t col = 0; col < widths_.size(); ++col)
      words_.push_back(is_words(table_, col) || is_text(table_, col) || static_cast<int>(col) == table_.said);
    const SizeNeed share = share_width(table_, placed.form, em);
    const float free = placed.box.w - fixed - kBetween - 1;
    if (share.most > 0) share_ = std::clamp(free * 0.3f, share.least, share.most) - kBetween;
    const bool fills = table_.tall && table_.card != TableMark::Card::none;  // as its neighbours do
    const float bar_room = free - (share_ > 0 ? share_ + kBetween : 0);
    if (!has_bars(table_) && widths_.size() > 1)
      between_ = std::clamp(kBetween + free / static_cast<float>(widths_.size() - 1), kBetween,
                            std::max(kBetween, kMostBetween * em));
    bar_ = !has_bars(table_) ? 0
           : fills           ? std::max(0.f, bar_room)
                             : std::clamp(bar_room, 0.f, bar_most(table_) * context_.look.body);
    const float wide = fixed + 1 + (between_ - kBetween) * static_cast<float>(widths_.size() - 1) +
                       (bar_ > 0 ? bar_ + kBetween : 0) + (share_ > 0 ? share_ + kBetween : 0);
    card_ = {placed.box.x, placed.box.y,
             std::min(placed.box.w, std::max(wide, table_width(*placed.part, placed.form, context).least)),
             fills ? std::max(placed.box.h, head + tall_ * rows) : head + tall_ * rows};
  }
  void draw() {
    if (table_.card != TableMark::Card::none) {
      out_.rect(card_, out_.colours().card);
      out_.shapes.back().round = kRound * 2;
      if (table_.card == TableMark::Card::chosen) {
        out_.rect(card_, out_.colours().ink(Ink::accent), DrawnShape::Kind::frame);
        out_.shapes.back().round = kRound * 2;
      }
    }
    if (const std::string title = title_of(*placed_.part, placed_.form); !title.empty()) {
      put(title, x_, placed_.box.w - 2 * pad_, {context_.look.body, Face::bold, Ink::text}, false,
          title_height(*placed_.part, placed_.form, context_.look) - 4);
      y_ += title_height(*placed_.part, placed_.form, context_.look);
    }
    if (!table_.header.empty()) {
      const float em = head_em(context_.look);
      texts(table_.header, {em, Face::sans, Ink::dim}, true, em * 1.5f);
      y_ += em * 1.5f;
    }
    for (std::int64_t at = 0; at < placed_.rows; ++at)
      row(table_.rows[static_cast<std::size_t>(at)], at == 0 && table_.leads);
    if (has_rest(table_, static_cast<std::size_t>(placed_.rows))) rest();
  }

 private:
  struct Letters {
    float em;
    Face face;  ///< of the name
    Ink ink;
  };
  // In the middle of a row that is `tall`.
  void put(const std::string& text, float x, float room, const Letters& letters, bool right, float tall) {
    const std::string shown = context_.measure.fitted(text, letters.em, letters.face, room + 0.5f);
    const float from = right ? x + room - context_.measure.width(shown, letters.em, letters.face) : x;
    out_.text(shown, from, y_ + tall / 2 + letters.em * 0.36f, letters.em, letters.face,
              out_.colours().ink(letters.ink), {x, y_, room + 1, tall});
  }
  // The bar stands behind the name.
  void texts(const std::vector<Text>& cells, Letters letters, bool header, float tall) {
    float x = x_;
    for (std::size_t col = 0; col < cells.size(); ++col) {
      const bool name = col == 0, words = name || words_[col];
      if (widths_[col] < 0) continue;
      const bool said = static_cast<int>(col) == table_.said;
      if (!name) letters.face = said && !header ? Face::bold : words || header ? Face::sans : Face::mono;
      put(cells[col].str(), x, widths_[col] + (said && header ? share_ : 0), letters, !words, tall);
      x += widths_[col] + between_ + (name && bar_ > 0 ? bar_ + kBetween : 0);
      if (!said || share_ <= 0) continue;
      share_x_ = x;
      x += share_ + kBetween;
    }
  }
  float length(double value) const {
    return table_.most > 0 && std::isfinite(value)
               ? bar_ * static_cast<float>(std::clamp(value / table_.most, 0.0, 1.0))
               : 0.f;
  }
  void bar(PixelRect rect, Rgb colour, DrawnShape::Kind kind) {
    out_.rect(rect, colour, kind);
    out_.shapes.back().round = std::min(kRound, rect.w / 2);
    out_.shapes.back().dashed = kind == DrawnShape::Kind::frame;
  }
  void row(const TableMark::Row& row, bool lead) {
    const float tall = tall_ * (lead ? kLead : 1.f), em = context_.look.body * (lead ? kLead : 1.f);
    const Palette& colours = out_.colours();
    const bool lit = row.lit && !table_.leads;
    texts(row.cells, {em, lead ? Face::bold : Face::sans, lit ? Ink::warning : Ink::text}, false, tall);
    const float x = x_ + widths_[0] + kBetween, top = y_ + tall * 0.22f, thick = tall * 0.56f;
    if (row.bar && bar_ > 0) {
      bar({x, top, bar_, thick}, colours.panel, DrawnShape::Kind::rect);
      if (row.from) waterfall(row, x, top, thick);
      const float wide = row.from ? 0 : length(*row.bar);
      if (wide > 0)
        bar({x, top, std::max(wide, kLeastBar), thick},
            colours.ink(lit    ? Ink::warning
                        : lead ? Ink::value
                               : Ink::query),
            DrawnShape::Kind::rect);
    }
    if (row.before && bar_ > 0 && std::abs(length(*row.before) - length(row.bar.value_or(0))) > 1)
      bar({x, top - 2, std::max(length(*row.before), kLeastBar), thick + 4}, colours.ink(Ink::dim),
          DrawnShape::Kind::frame);
    if (row.share && share_ > 0) {
      const float full = std::isfinite(*row.share) ? static_cast<float>(std::clamp(*row.share, 0.0, 1.0)) : 0;
      bar({share_x_, top, share_, thick}, colours.panel, DrawnShape::Kind::rect);
      bar({share_x_, top, std::max(share_ * full, kLeastBar), thick},
          colours.ink(lit ? Ink::value : Ink::query), DrawnShape::Kind::rect);
    }
    if (row.edited) {
      out_.rect({x_ - pad_ / 2, y_ + 1, card_.w - pad_, tall - 2}, colours.ink(Ink::warning),
                DrawnShape::Kind::frame);
      out_.shapes.back().round = kRound;
    }
    y_ += tall;
  }
  float place(double value) const {
    const double span = table_.most - table_.least;
    return span > 0 && std::isfinite(value)
               ? bar_ * static_cast<float>(std::clamp((value - table_.least) / span, 0.0, 1.0))
               : 0.f;
  }
  // From where the row above ended; blue adds, orange takes away.
  void waterfall(const TableMark::Row& row, float x, float top, float thick) {
    const float a = place(*row.from), b = place(*row.from + *row.bar);
    const Palette& colours = out_.colours();
    if (table_.least < 0)  // where nothing is added
      out_.line({{x + place(0), y_}, {x + place(0), y_ + tall_}}, colours.ink(Ink::dim));
    bar({x + std::min(a, b), top, std::max(std::abs(b - a), kLeastBar), thick},
        *row.bar < 0 ? colours.negative
        : row.lit    ? colours.ink(Ink::value)
                     : colours.positive,
        DrawnShape::Kind::rect);
  }
  // The rows that are not shown, added up where they are numbers that add.
  void rest() {
    const auto shown = static_cast<std::size_t>(placed_.rows);
    std::vector<Text> cells{Text(others_text(table_, shown))};
    if (table_.rest && widths_.size() > 1) {
      double sum = *table_.rest;
      for (std::size_t at = shown; at < table_.rows.size(); ++at) sum += table_.rows[at].bar.value_or(0);
      cells.emplace_back(table_.shares ? percent_text(sum) : number_text(sum, 3));
    }
    texts(cells, {context_.look.body, Face::sans, Ink::dim}, false, tall_);
    y_ += tall_;
  }

  const PlacedPart& placed_;
  const TableMark& table_;
  Drawing& out_;
  const MarkContext& context_;
  std::vector<float> widths_;
  std::vector<bool> words_;  // by column: begins at the left, as sentences do
  float pad_, x_, y_, bar_ = 0, tall_ = 0;
  float between_ = kBetween;       // columns
  float share_ = 0, share_x_ = 0;  // of the second bars
  PixelRect card_;
};
void draw_table(const PlacedPart& placed, Drawing& out, const MarkContext& context) {
  TableDrawing(placed, out, context).draw();
}

}  // namespace

const MarkRules kTableRules{kTableGives, table_width, table_height, settle_table, draw_table};

}  // namespace attnscope::figure
