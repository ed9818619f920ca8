// A matrix of coloured cells with names at its rows and columns, and one row drawn large.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/figure/marks.h"
#include "core/figure/pooled.h"
#include "core/figure/print.h"
#include "core/figure/row_bars.h"
#include "core/figure/touches.h"

namespace attnscope::figure {
namespace {

constexpr std::array<Give, 6> kMatrixGives{Give::shorter_words, Give::short_numbers, Give::short_names,
                                           Give::digits,        Give::names,         Give::left_out};
constexpr std::int64_t kMostDigits = kMostCells;  // larger matrices are drawn as colours
constexpr std::int64_t kMostDrawn = 192;          // cells a side; more are pooled
constexpr std::int64_t kMostPixels = 4096;        // the same of a picture
constexpr float kLongName = 136, kShortName = 44, kSlant = 0.7072f, kCellPad = 6;
constexpr float kSignPad = 4;                      // in place of kCellPad, in planes with signs
constexpr float kLargePad = 0.3f;                  // em: beside the digits of a row drawn large
constexpr float kFreePad = 0.7f;                   // em: beside digits that are larger than they have to be
constexpr float kLargeRow = 2, kTallLarge = 2.7f;  // times its digits
constexpr float kFewCells = 12, kWideCell = 2.4f, kTallCell = 1.5f, kWideRow = 2.2f;
constexpr float kWideFew = 4;  // times their natural width: few cells with digits, where nothing else has it
constexpr std::int64_t kFewestCells = 6;      // a side of matrices that fill their room
constexpr std::int64_t kStraightColumns = 5;  // names of so few columns do not slant
constexpr float kStraightName = 64;           // the widest of these names, in letters of 12
constexpr float kLargeName = 0.93f;           // of the letters of a text: names of a row drawn large
constexpr float kMostName = 14.f;             // where small letters are larger, they do
constexpr float kLeastSmall = 11.f;           // names beside digits
constexpr float kOtherApart = 8;              // "other n" and the name before it
constexpr std::size_t kSignLetters = 4;   // in every cell of planes with signs: they stand beside each other
constexpr float kOpenLetters = 2.6f;      // the same of a plane of "1" and "0", where room lacks
constexpr std::size_t kLeastColumns = 2;  // of a row drawn large, beside "other n"

const MatrixMark& matrix_in(const Part& part) { return std::get<MatrixMark>(part.mark); }
float count(std::int64_t n) { return static_cast<float>(n); }
bool large_row(const MatrixMark& matrix) { return !matrix.order.empty(); }
std::int64_t rows_of(const MatrixMark& matrix) { return matrix.values.size(0); }
std::int64_t cols_of(const MatrixMark& matrix) { return matrix.values.size(1); }

bool few_cells(const MatrixMark& matrix) {
  return std::max(rows_of(matrix), cols_of(matrix)) <= kFewestCells;
}
// Those of rows drawn large and of few cells are read from afar, as their digits are.
float name_em(const MatrixMark& matrix, const LetterSizes& look) {
  const bool large = large_row(matrix) || few_cells(matrix);
  return large ? std::max(look.small, std::min(look.body * kLargeName, kMostName)) : look.small;
}

// Names of a plane with signs are smaller before they are shortened, down to letters that are read at once.
float name_em(const MatrixMark& matrix, const Form& form, const LetterSizes& look) {
  if (!matrix.signs || !form.has(Give::short_names)) return name_em(matrix, look);
  return std::min(look.small, std::max(look.small * look.least_name, kLeastSmall));
}

bool with_digits(const MatrixMark& matrix, const Form& form) {
  return large_row(matrix) || (!form.has(Give::digits) && rows_of(matrix) * cols_of(matrix) <= kMostDigits);
}
std::string cell_text(double value, int digits, const Form& form) {
  return hidden_cell(value) ? std::string() : number_text(value, digits, form.has(Give::short_numbers));
}
// Letters of the longest number; of a row drawn large also of any sum of its cells. Planes with signs shorten
// none: colours alone say more than "0" and "1".
float longest(const MatrixMark& matrix, const Form& in) {
  const Form form = matrix.signs ? Form{} : in;
  std::size_t out = matrix.signs ? kSignLetters : 1;
  for (std::int64_t row = 0; row < rows_of(matrix); ++row) {
    const MatrixMark::Row look = matrix.row(row);
    double sum = 0;
    for (std::int64_t col = 0; col < cols_of(matrix); ++col) {
      const auto value = static_cast<double>(matrix.values.at(row, col));
      out = std::max(out, utf8_length(cell_text(value, look.digits, form)));
      if (std::isfinite(value)) sum += std::abs(value);
    }
    if (!large_row(matrix) || matrix.others != MatrixMark::Others::sum) continue;
    if (look.scale == Scale::diverging) sum = -sum;
    out = std::max(out, utf8_length(cell_text(sum, look.digits, form)));
  }
  return static_cast<float>(out);
}
float longest_kept(const MatrixMark& matrix, const Form& form, const MarkContext& context) {
  return context.once(&matrix, form.has(Give::short_numbers) ? 1 : 0, [&] { return longest(matrix, form); });
}
// Letters that a cell has room for at least: where room lacks, a mask's "1" has less than the scores beside
// it.
float least_letters(const MatrixMark& matrix, const Form& form, const MarkContext& context) {
  const bool narrow = matrix.signs && matrix.scale == Scale::open && form.has(Give::short_names);
  return narrow ? kOpenLetters : longest_kept(matrix, form, context);
}
float cell_pad(const MatrixMark& matrix) { return matrix.signs ? kSignPad : kCellPad; }
float digit_width(const MatrixMark& matrix, float letters, float em, const MarkContext& context) {
  return letters * context.measure.width("0", em, Face::mono) +
         (large_row(matrix) ? kLargePad * em : cell_pad(matrix));
}

struct NameSizes {
  float row = 0;     ///< width left of the cells, with its gap
  float top = 0;     ///< height above them
  float right = 0;   ///< what slanted names need right of the last cell
  float column = 0;  ///< widest name of a column
  float longest_allowed = kLongName;
  bool slanted = false;
};
NameSizes names_of(const MatrixMark& matrix, const Form& form, float least_cell, const MarkContext& context) {
  NameSizes out;
  const float em = name_em(matrix, form, context.look);
  out.longest_allowed = (form.has(Give::short_names) && !matrix.signs ? kShortName : kLongName) * em / 12;
  out.right = scale_bar_width(matrix, context);
  if (form.has(Give::names) && !large_row(matrix)) {
    if (!matrix.printed) return out;
    out.row = kept_name(matrix.rows, em, out.longest_allowed, context);
    out.top = kept_name(matrix.cols, em, out.longest_allowed, context) > 0 ? em * kLine + 2 : 0;
    return out;
  }
  if (!matrix.rows.labels.empty() && matrix.rows.shown)
    out.row = std::min(out.longest_allowed, widest(matrix.rows.labels, em, Face::mono, context)) + 6;
  for (const bool rows : {true, false}) {
    if (const std::string axis = axis_title(matrix, rows); !axis.empty())
      out.row = std::max(out.row, context.measure.width(axis, context.look.small, Face::sans) + 7),
      out.top += context.look.small * kLine + 2;
  }
  if (matrix.cols.labels.empty() || !matrix.cols.shown) return out;
  out.column = std::min(out.longest_allowed, widest(matrix.cols.labels, em, Face::mono, context));
  out.slanted = !large_row(matrix) && out.column + 4 > least_cell;
  out.top = std::max(out.top, out.slanted ? (out.column + em) * kSlant + 2 : em * kLine + 2);
  const float inside = matrix.signs ? least_cell / 2 : 0;  // of the last name, which begins in its column
  if (out.slanted) out.right = std::max(out.right, (out.column + em) * kSlant - inside);
  return out;
}

// The least width of a cell of a row drawn large: its number, and its name up to a limit, in letters of
// `letters` times their size.
float large_cell(const MatrixMark& matrix, const Form& form, float em, const MarkContext& context,
                 float letters = 1) {
  const float small = name_em(matrix, context.look);
  const float name = widest(matrix.cols.labels, small, Face::mono, context);
  const float other =
      context.measure.width(tr("figure.others", {std::to_string(matrix.order.size())}), small, Face::sans);
  const float longest_name = (form.has(Give::short_names) ? 1.f : 2.f) * kShortName * context.look.small / 12;
  return std::max({digit_width(matrix, longest_kept(matrix, form, context), em, context),
                   other * letters + (context.look.least_name < 1 ? 4 : kOtherApart),
                   std::min(name * letters, longest_name) + 4});
}
// The most columns of a row drawn large, "other n" among them.
std::size_t most_columns(const MatrixMark& matrix) {
  const std::size_t all = matrix.order.size();
  return matrix.most_columns == 0 || all <= matrix.most_columns ? all : matrix.most_columns + 1;
}
// Digits of few cells are larger.
float natural_digit(const MatrixMark& matrix, const LetterSizes& look) {
  const float side = count(std::max(rows_of(matrix), cols_of(matrix)));
  return look.digit_natural * std::clamp(kFewCells / std::max(1.f, side), 1.f, 2.f);
}
// How wide a column has to be for its name to stand upright; 0: there are many, or a name is long.
float straight_name(const MatrixMark& matrix, const Form& form, const MarkContext& context) {
  if (cols_of(matrix) > kStraightColumns || form.has(Give::names) || form.has(Give::short_names) ||
      matrix.cols.labels.empty() || !matrix.cols.shown)
    return 0;
  const float em = name_em(matrix, context.look), wide = widest(matrix.cols.labels, em, Face::mono, context);
  return wide <= kStraightName * em / 12 ? wide + 5 : 0;
}
// The least side of cells without digits.
float plane_side(float cells, const LetterSizes& look) {
  return std::max(std::min(look.plane, cells * 11), std::min(look.plane * 2, cells));
}
// The natural side of a cell without digits.
float plane_cell(const MatrixMark& matrix) { return matrix.signs ? 36.f : 18.f; }
SizeNeed cells_width(const MatrixMark& matrix, const Form& form, const MarkContext& context) {
  const LetterSizes& look = context.look;
  if (large_row(matrix)) {
    const auto cols = static_cast<float>(most_columns(matrix));
    const float least = large_cell(matrix, form, look.looked, context),
                natural = large_cell(matrix, form, look.looked_natural, context);
    const float fewest = std::min(cols, static_cast<float>(kLeastColumns + 1));
    const float wide = cols <= count(kFewestCells) ? kWideFew : kWideRow;
    return {fewest * least, std::max(fewest * least, cols * natural), cols * natural * wide};
  }
  const float cols = count(cols_of(matrix));
  if (with_digits(matrix, form)) {
    const float least =
                    std::max(digit_width(matrix, least_letters(matrix, form, context), look.digit, context),
                             straight_name(matrix, form, context)),
                natural = std::max(least, digit_width(matrix, longest_kept(matrix, form, context),
                                                      natural_digit(matrix, look), context));
    return {cols * least, cols * natural, cols * natural * (few_cells(matrix) ? kWideFew : 1.25f)};
  }
  const float least = plane_side(cols, look);
  const float natural = std::max(least, std::min(look.plane * 6, cols * plane_cell(matrix)));
  return {least, natural, std::max(natural, std::min(look.plane * 8, cols * 44))};
}
SizeNeed bars_height(const MatrixMark& matrix, const LetterSizes& look) {
  if (!matrix.bars) return {};
  return {look.looked * 2, look.looked_natural * 3, look.looked_natural * 5};
}
SizeNeed cells_height(const MatrixMark& matrix, const Form& form, const MarkContext& context) {
  const LetterSizes& look = context.look;
  const float rows = count(rows_of(matrix));
  if (large_row(matrix)) {
    const SizeNeed bars = bars_height(matrix, look);
    return {rows * look.looked * 1.6f + bars.least, rows * look.looked_natural * 1.7f + bars.natural,
            rows * look.looked_natural * (matrix.tall ? kTallLarge : kLargeRow) + bars.most};
  }
  if (with_digits(matrix, form)) {
    const float natural = natural_digit(matrix, look);
    return {rows * look.digit * 1.35f, rows * natural * 1.6f,
            rows * natural * (few_cells(matrix) ? matrix.heads ? 5.f : 3.4f : 2.2f)};
  }
  const float least = plane_side(rows, look);
  const float natural = std::max(least, std::min(look.plane * 6, rows * plane_cell(matrix)));
  return {least, natural, std::max(natural, std::min(look.plane * 8, rows * 44))};
}
float least_cell_width(const MatrixMark& matrix, const Form& form, const MarkContext& context) {
  return cells_width(matrix, form, context).least / count(std::max<std::int64_t>(1, cols_of(matrix)));
}
SizeNeed plus(SizeNeed need, float more) {
  return {need.least + more, need.natural + more, need.most + more};
}

SizeNeed matrix_width(const Part& part, const Form& form, const MarkContext& context) {
  const MatrixMark& matrix = matrix_in(part);
  const NameSizes names = names_of(matrix, form, least_cell_width(matrix, form, context), context);
  const float title = context.measure.width(title_of(part, form), context.look.body, Face::bold) + 1;
  SizeNeed out = plus(cells_width(matrix, form, context), names.row + names.right);
  return {std::max(out.least, title), std::max(out.natural, title), std::max(out.most, title)};
}
SizeNeed matrix_height(const Part& part, const Form& form, float width, const MarkContext& context) {
  const MatrixMark& matrix = matrix_in(part);
  const NameSizes names = names_of(matrix, form, least_cell_width(matrix, form, context), context);
  SizeNeed cells = cells_height(matrix, form, context);
  if (!with_digits(matrix, form)) {  // cells are square, and little higher than wide where nothing is below
    const float cell = (width - names.row - names.right) / count(std::max<std::int64_t>(1, cols_of(matrix))),
                square = cell * count(rows_of(matrix));
    const float named = named_rows(matrix, form, context.look);
    cells.natural = std::max(named, std::clamp(square, cells.least, cells.natural));
    cells.most = std::clamp(kTallCell * square, cells.least, cells.most);
    cells.most = std::max(named, cells.most);
  }
  return plus(cells, names.top + title_height(part, form, context.look));
}

// Columns with a cell of their own: all, or the strongest that fit beside "other n", as they stand.
std::vector<int> columns_of(const MatrixMark& matrix, float width, float cell) {
  std::vector<int> out = matrix.order;
  const auto room = static_cast<std::size_t>(std::max(1.f, std::floor(width / cell + 1e-3f)));
  const std::size_t fit = std::min(room, most_columns(matrix));
  if (out.size() > fit) out.resize(std::max<std::size_t>(1, fit - 1));
  if (!matrix.by_order) std::sort(out.begin(), out.end());
  return out;
}

void settle_matrix(PlacedPart& placed, const MarkContext& context) {
  const MatrixMark& matrix = matrix_in(*placed.part);
  const NameSizes names =
      names_of(matrix, placed.form, least_cell_width(matrix, placed.form, context), context);
  PixelRect& cells = placed.cells;
  cells = placed.box;
  const float top = names.top + title_height(*placed.part, placed.form, context.look);
  cells.x += names.row, cells.w -= names.row + names.right;
  cells.y += top, cells.h -= top;
  const SizeNeed wide = cells_width(matrix, placed.form, context),
                 tall = cells_height(matrix, placed.form, context);
  cells.w = std::min(cells.w, wide.most), cells.h = std::min(cells.h, tall.most);
  if (large_row(matrix)) {
    placed.bars = cells.h * bars_height(matrix, context.look).natural / tall.natural;
    cells.h -= placed.bars;
    for (const float letters :
         {1.f, context.look.least_name})  // long names are smaller before columns are left out
      if (placed.columns.size() < matrix.order.size())
        placed.columns = columns_of(matrix, cells.w,
                                    large_cell(matrix, placed.form, context.look.looked, context, letters));
  } else if (!with_digits(matrix, placed.form)) {  // cells as square as the room allows
    const float across = cells.w / count(cols_of(matrix)), down = cells.h / count(rows_of(matrix));
    cells.w = std::max(wide.least, std::min(across, kWideCell * down) * count(cols_of(matrix)));
    const float named = std::min(cells.h, named_rows(matrix, placed.form, context.look));
    cells.h = std::max({tall.least, named, std::min(kTallCell * across, down) * count(rows_of(matrix))});
    return;
  }
  const bool rest = large_row(matrix) && placed.columns.size() < matrix.order.size();
  const float across =
      large_row(matrix) ? static_cast<float>(placed.columns.size() + (rest ? 1 : 0)) : count(cols_of(matrix));
  const float letters =
                  least_letters(matrix, placed.form, context) * context.measure.width("0", 1, Face::mono),
              cell = cells.w / across,
              tight = large_row(matrix) ? cell / (letters + kLargePad) : (cell - cell_pad(matrix)) / letters,
              least = large_row(matrix) ? context.look.looked : context.look.digit;
  const float by_width = std::min(tight, std::max(least, cell / (letters + kFreePad)));
  const float by_height = cells.h / count(rows_of(matrix)) / 1.25f;
  placed.digit =
      std::min({by_width, by_height,
                large_row(matrix) ? context.look.looked_natural : natural_digit(matrix, context.look)});
  if (matrix.signs && matrix.scale == Scale::open)  // as large as those of the planes beside it
    placed.digit = std::min(placed.digit, context.look.digit_natural);
}

// ---- drawing -------------------------------------------------------------------------------------

Rgb colour_of(const MatrixMark::Row& row, double value, const Palette& palette) {
  if (hidden_cell(value)) return palette.masked;
  if (!std::isfinite(value)) return palette.ink(Ink::warning);
  return palette.heat(row.scale, row.most > 0 ? value / row.most : 0);
}

// `row`, `col`: which cell it is; -1: several.
void draw_cell(const MatrixMark& matrix, double value, std::int64_t row, std::int64_t col, PixelRect rect,
               const PlacedPart& placed, Drawing& out, const MarkContext& context) {
  const MatrixMark::Row look = matrix.row(row);
  const Rgb ground = colour_of(look, value, out.colours());
  out.rect(rect, ground);
  out.shapes.back().row = row, out.shapes.back().col = col;
  if (hidden_cell(value)) out.rect(rect, out.colours().ink(Ink::dim), DrawnShape::Kind::hatch);
  if (placed.digit <= 0 || (hidden_cell(value) && !large_row(matrix) && !matrix.signs)) return;
  // A masked score is -inf, the weight that comes of it 0.
  const std::string text = !hidden_cell(value) ? cell_text(value, look.digits, placed.form)
                           : look.scale == Scale::diverging && !matrix.masked_is_zero ? number_text(value, 0)
                                                                                      : "0";
  const float width = context.measure.width(text, placed.digit, Face::mono);
  out.text(text, rect.x + (rect.w - width) / 2, rect.y + (rect.h + placed.digit * 0.72f) / 2, placed.digit,
           Face::mono, readable_on(ground), rect);
  out.shapes.back().digit = true;
}

void draw_large(const PlacedPart& placed, Drawing& out, const MarkContext& context) {
  const MatrixMark& matrix = matrix_in(*placed.part);
  const bool rest = placed.columns.size() < matrix.order.size();
  const float em = name_em(matrix, context.look),
              wide = placed.cells.w / static_cast<float>(placed.columns.size() + (rest ? 1 : 0)),
              tall = placed.cells.h / count(rows_of(matrix));
  // Then a line stands where they are.
  const bool few_left_out = rest && !matrix.by_order && placed.columns.size() * 2 > matrix.order.size();
  for (std::size_t at = 0; at < placed.columns.size() + (rest ? 1 : 0); ++at) {
    const bool others = at == placed.columns.size();
    const float x = placed.cells.x + wide * static_cast<float>(at);
    const auto col = others ? 0 : placed.columns[at];
    if (few_left_out && at > 0 && !others && col != placed.columns[at - 1] + 1)
      out.rect({x - 1, placed.cells.y - em, 2, placed.cells.h + em}, out.colours().ink(Ink::dim));
    const std::string name =
        others ? tr("figure.others", {std::to_string(matrix.order.size() - placed.columns.size())})
        : static_cast<std::size_t>(col) < matrix.cols.labels.size()
            ? matrix.cols.labels[static_cast<std::size_t>(col)].str()
            : std::to_string(col);
    const Face face = others ? Face::sans : Face::mono;
    const float full = context.measure.width(name, em, face);
    const float room =
        wide - (others ? kOtherApart : 4);  // names are apart, the last one from the name before it
    const float letters = full > room ? em * std::max(context.look.least_name, room / full) : em;
    const std::string shown = context.measure.fitted(name, letters, face, room);
    if (matrix.cols.shown)
      out.text(shown, x + (wide - context.measure.width(shown, letters, face)) / 2, placed.cells.y - 5,
               letters, face,
               out.colours().ink(others                      ? Ink::dim
                                 : col == matrix.cols.looked ? Ink::text
                                                             : matrix.cols.ink),
               {x, placed.cells.y - em * kLine - 2, wide, em * kLine + 2});
    if (matrix.cols.shown && !others) strike_name(matrix.cols, col, out, context);
    for (std::int64_t row = 0; row < rows_of(matrix); ++row) {
      const PixelRect cell{x + 1, placed.cells.y + tall * count(row) + 1, wide - 2, tall - 2};
      if (others && matrix.others != MatrixMark::Others::sum) {
        out.rect(cell, out.colours().panel);
        if (matrix.others == MatrixMark::Others::bars)
          draw_other_bars(matrix, row, placed.columns, cell, out);
        continue;
      }
      double value = others ? 0 : static_cast<double>(matrix.values.at(row, col));
      for (std::int64_t other = 0; others && other < cols_of(matrix); ++other) {
        const auto one = static_cast<double>(matrix.values.at(row, other));
        const bool own = std::find(placed.columns.begin(), placed.columns.end(), static_cast<int>(other)) !=
                         placed.columns.end();
        if (!own && !hidden_cell(one)) value += one;
      }
      draw_cell(matrix, value, row, others ? -1 : col, cell, placed, out, context);
      if (placed.bars > 0 && row + 1 == rows_of(matrix))
        draw_row_bar(matrix.row(row), value, cell, placed, out);
    }
  }
  outline_large(placed, wide, tall, out);
}

// One pixel per cell.
void draw_picture(const PlacedPart& placed, Drawing& out) {
  const MatrixMark& matrix = matrix_in(*placed.part);
  const std::int64_t tall = pooled_together(rows_of(matrix), kMostPixels),
                     wide = pooled_together(cols_of(matrix), kMostPixels);
  DrawnShape shape;
  shape.kind = DrawnShape::Kind::picture, shape.rect = placed.cells, shape.part = out.part;
  shape.columns = pooled_together(cols_of(matrix), wide);
  for (std::int64_t row = 0; row < rows_of(matrix); row += tall)
    for (std::int64_t col = 0; col < cols_of(matrix); col += wide)
      shape.pixels.push_back(colour_of(matrix.row(row),
                                       pooled(matrix, row, std::min(rows_of(matrix), row + tall), col,
                                              std::min(cols_of(matrix), col + wide)),
                                       out.colours()));
  out.shapes.push_back(std::move(shape));
}

void draw_cells(const PlacedPart& placed, Drawing& out, const MarkContext& context) {
  const MatrixMark& matrix = matrix_in(*placed.part);
  if (out.pictures && rows_of(matrix) * cols_of(matrix) > kMostCells) return draw_picture(placed, out);
  const std::int64_t block_rows = pooled_together(rows_of(matrix), kMostDrawn),
                     block_cols = pooled_together(cols_of(matrix), kMostDrawn);
  const float wide = placed.cells.w / count(cols_of(matrix)), tall = placed.cells.h / count(rows_of(matrix));
  const float gap = std::min(wide, tall) > 6 ? 1.f : 0.f;
  for (std::int64_t row = 0; row < rows_of(matrix); row += block_rows) {
    const std::int64_t row1 = std::min(rows_of(matrix), row + block_rows);
    for (std::int64_t col = 0; col < cols_of(matrix); col += block_cols) {
      const std::int64_t col1 = std::min(cols_of(matrix), col + block_cols);
      const bool one = block_rows == 1 && block_cols == 1;
      const std::size_t cell = out.shapes.size();
      draw_cell(matrix, pooled(matrix, row, row1, col, col1), one ? row : -1, one ? col : -1,
                {placed.cells.x + wide * count(col), placed.cells.y + tall * count(row),
                 wide * count(col1 - col) - gap, tall * count(row1 - row) - gap},
                placed, out, context);
      out.shapes[cell].touches = gap == 0;
    }
  }
}

void draw_plane(const PlacedPart& placed, Drawing& out, const MarkContext& context) {
  const MatrixMark& matrix = matrix_in(*placed.part);
  draw_cells(placed, out, context);
  const float tall = placed.cells.h / count(rows_of(matrix));
  if (matrix.rows.looked >= 0 && matrix.rows.looked < rows_of(matrix))
    out.rect({placed.cells.x, placed.cells.y + tall * count(matrix.rows.looked), placed.cells.w, tall},
             out.colours().ink(Ink::accent), DrawnShape::Kind::frame);
  draw_left_out(placed, out);
  const float wide = placed.cells.w / count(cols_of(matrix));
  for (const MatrixMark::Block& block : matrix.edited)
    outline_edit({placed.cells.x + wide * count(block.col), placed.cells.y + tall * count(block.row),
                  wide * count(block.cols), tall * count(block.rows)},
                 out);
}

void draw_row_names(const PlacedPart& placed, const NameSizes& names, Drawing& out,
                    const MarkContext& context) {
  const MatrixMark& matrix = matrix_in(*placed.part);
  const float tall = placed.cells.h / count(rows_of(matrix));
  const float em = row_name_em(name_em(matrix, placed.form, context.look), tall);
  const std::int64_t every = name_every(placed, em * kLine / tall - 0.01f);
  for (std::int64_t row = 0; row < static_cast<std::int64_t>(matrix.rows.labels.size()); ++row) {
    if (!name_shown(matrix.rows, row, every)) continue;
    const std::string text = context.measure.fitted(matrix.rows.labels[static_cast<std::size_t>(row)].str(),
                                                    em, Face::mono, names.row - 6);
    const float y = placed.cells.y + tall * (count(row) + 0.5f);
    out.text(text, placed.cells.x - 6 - context.measure.width(text, em, Face::mono), y + em * 0.36f, em,
             Face::mono, out.colours().ink(row == matrix.rows.looked ? Ink::accent : matrix.rows.ink),
             {placed.box.x, y - em * kLine / 2, names.row, em * kLine});
    out.shapes.back().row = row;
    strike_name(matrix.rows, row, out, context);
  }
}
void draw_column_names(const PlacedPart& placed, const NameSizes& names, Drawing& out,
                       const MarkContext& context) {
  const MatrixMark& matrix = matrix_in(*placed.part);
  const float em = name_em(matrix, placed.form, context.look), wide = placed.cells.w / count(cols_of(matrix));
  const float apart = names.slanted ? em * 1.15f / kSlant : names.column + 4;
  const std::int64_t every = name_every(placed, apart / wide);
  for (std::int64_t col = 0; col < static_cast<std::int64_t>(matrix.cols.labels.size()); ++col) {
    if (!name_shown(matrix.cols, col, every)) continue;
    const std::string text = context.measure.fitted(matrix.cols.labels[static_cast<std::size_t>(col)].str(),
                                                    em, Face::mono, names.longest_allowed);
    const float length = context.measure.width(text, em, Face::mono),
                middle = placed.cells.x + wide * (count(col) + 0.5f);
    const Rgb colour = out.colours().ink(col == matrix.cols.looked ? Ink::accent : matrix.cols.ink);
    if (names.slanted) {
      out.text(text, middle + em * 0.25f, placed.cells.y - 4, em, Face::mono, colour, placed.box);
      out.shapes.back().turned = -45;
    } else {
      const float x = std::min(middle - length / 2, placed.box.right() - length);
      out.text(text, std::max(placed.box.x, x), placed.cells.y - 5, em, Face::mono, colour, placed.box);
    }
    strike_name(matrix.cols, col, out, context);
  }
}

void draw_matrix(const PlacedPart& placed, Drawing& out, const MarkContext& context) {
  const MatrixMark& matrix = matrix_in(*placed.part);
  const NameSizes names =
      names_of(matrix, placed.form, least_cell_width(matrix, placed.form, context), context);
  draw_title(placed, out, context.look);
  if (names.row > 0) draw_row_names(placed, names, out, context);
  if (large_row(matrix)) return draw_large(placed, out, context);
  if (names.top > 0 && matrix.cols.shown) draw_column_names(placed, names, out, context);
  if (names.top > 0 && !placed.form.has(Give::names)) draw_axis_titles(placed, names.row, out, context);
  draw_plane(placed, out, context);
  draw_scale_bar(placed, out, context);
}

}  // namespace

const MarkRules kMatrixRules{kMatrixGives, matrix_width, matrix_height, settle_matrix, draw_matrix};

}  // namespace attnscope::figure
