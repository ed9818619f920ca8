// A matrix of coloured cells with names at its rows and columns, and one row drawn large.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/figure/matrix_parts.h"
#include "core/figure/pooled.h"
#include "core/figure/print.h"

namespace attnscope::figure {
namespace {

constexpr std::array<Give, 6> kMatrixGives{Give::shorter_words, Give::short_numbers, Give::short_names,
                                           Give::digits,        Give::names,         Give::left_out};
constexpr std::int64_t kMostDigits = kMostCells;  // larger matrices are drawn as colours
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
constexpr std::size_t kSignLetters = 4;   // in every cell of planes with signs: they stand beside each other
constexpr float kOpenLetters = 2.6f;      // the same of a plane of "1" and "0", where room lacks
constexpr std::size_t kLeastColumns = 2;  // of a row drawn large, beside "other n"

bool few_cells(const MatrixMark& matrix) {
  return std::max(matrix_rows(matrix), matrix_cols(matrix)) <= kFewestCells;
}
bool with_digits(const MatrixMark& matrix, const Form& form) {
  return drawn_large(matrix) ||
         (!form.has(Give::digits) && matrix_rows(matrix) * matrix_cols(matrix) <= kMostDigits);
}
// Letters of the longest number; of a row drawn large also of any sum of its cells. Planes with signs shorten
// none: colours alone say more than "0" and "1".
float longest(const MatrixMark& matrix, const Form& in) {
  const Form form = matrix.signs ? Form{} : in;
  std::size_t out = matrix.signs ? kSignLetters : 1;
  for (std::int64_t row = 0; row < matrix_rows(matrix); ++row) {
    const MatrixMark::Row look = matrix.row(row);
    double sum = 0;
    for (std::int64_t col = 0; col < matrix_cols(matrix); ++col) {
      const auto value = static_cast<double>(matrix.values.at(row, col));
      out = std::max(out, utf8_length(cell_text(value, look.digits, form)));
      if (std::isfinite(value)) sum += std::abs(value);
    }
    if (!drawn_large(matrix) || matrix.others != MatrixMark::Others::sum) continue;
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
         (drawn_large(matrix) ? kLargePad * em : cell_pad(matrix));
}

// The least width of a cell of a row drawn large: its number, and its name up to a limit, in letters of
// `letters` times their size.
float large_cell(const MatrixMark& matrix, const Form& form, float em, const MarkContext& context,
                 float letters = 1) {
  const float small = matrix_name_em(matrix, context.look);
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
  const float side = as_float(std::max(matrix_rows(matrix), matrix_cols(matrix)));
  return look.digit_natural * std::clamp(kFewCells / std::max(1.f, side), 1.f, 2.f);
}
// How wide a column has to be for its name to stand upright; 0: there are many, or a name is long.
float straight_name(const MatrixMark& matrix, const Form& form, const MarkContext& context) {
  if (matrix_cols(matrix) > kStraightColumns || form.has(Give::names) || form.has(Give::short_names) ||
      matrix.cols.labels.empty() || !matrix.cols.shown)
    return 0;
  const float em = matrix_name_em(matrix, context.look),
              wide = widest(matrix.cols.labels, em, Face::mono, context);
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
  if (drawn_large(matrix)) {
    const auto cols = static_cast<float>(most_columns(matrix));
    const float least = large_cell(matrix, form, look.looked, context),
                natural = large_cell(matrix, form, look.looked_natural, context);
    const float fewest = std::min(cols, static_cast<float>(kLeastColumns + 1));
    const float wide = cols <= as_float(kFewestCells) ? kWideFew : kWideRow;
    return {fewest * least, std::max(fewest * least, cols * natural), cols * natural * wide};
  }
  const float cols = as_float(matrix_cols(matrix));
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
  const float rows = as_float(matrix_rows(matrix));
  if (drawn_large(matrix)) {
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
  return cells_width(matrix, form, context).least / as_float(std::max<std::int64_t>(1, matrix_cols(matrix)));
}
SizeNeed plus(SizeNeed need, float more) {
  return {need.least + more, need.natural + more, need.most + more};
}

}  // namespace

float matrix_name_em(const MatrixMark& matrix, const LetterSizes& look) {
  const bool large = drawn_large(matrix) || few_cells(matrix);
  return large ? std::max(look.small, std::min(look.body * kLargeName, kMostName)) : look.small;
}

float matrix_name_em(const MatrixMark& matrix, const Form& form, const LetterSizes& look) {
  if (!matrix.signs || !form.has(Give::short_names)) return matrix_name_em(matrix, look);
  return std::min(look.small, std::max(look.small * look.least_name, kLeastSmall));
}

std::string cell_text(double value, int digits, const Form& form) {
  return hidden_cell(value) ? std::string() : number_text(value, digits, form.has(Give::short_numbers));
}

MatrixNames matrix_names(const MatrixMark& matrix, const Form& form, const MarkContext& context) {
  MatrixNames out;
  const float em = matrix_name_em(matrix, form, context.look);
  out.longest_allowed = (form.has(Give::short_names) && !matrix.signs ? kShortName : kLongName) * em / 12;
  out.right = scale_bar_width(matrix, context);
  if (form.has(Give::names) && !drawn_large(matrix)) {
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
  const float least_cell = least_cell_width(matrix, form, context);
  out.slanted = !drawn_large(matrix) && out.column + 4 > least_cell;
  out.top = std::max(out.top, out.slanted ? (out.column + em) * kSlant + 2 : em * kLine + 2);
  const float inside = matrix.signs ? least_cell / 2 : 0;  // of the last name, which begins in its column
  out.apart = out.slanted ? em * 1.15f / kSlant : out.column + 4;
  if (out.slanted) out.right = std::max(out.right, (out.column + em) * kSlant - inside);
  return out;
}

namespace {

SizeNeed matrix_width(const Part& part, const Form& form, const MarkContext& context) {
  const MatrixMark& matrix = matrix_in(part);
  const MatrixNames names = matrix_names(matrix, form, context);
  const float title = context.measure.width(title_of(part, form), context.look.body, Face::bold) + 1;
  SizeNeed out = plus(cells_width(matrix, form, context), names.row + names.right);
  return {std::max(out.least, title), std::max(out.natural, title), std::max(out.most, title)};
}
SizeNeed matrix_height(const Part& part, const Form& form, float width, const MarkContext& context) {
  const MatrixMark& matrix = matrix_in(part);
  const MatrixNames names = matrix_names(matrix, form, context);
  SizeNeed cells = cells_height(matrix, form, context);
  if (!with_digits(matrix, form)) {  // cells are square, and little higher than wide where nothing is below
    const float cell = (width - names.row - names.right) /
                       as_float(std::max<std::int64_t>(1, matrix_cols(matrix))),
                square = cell * as_float(matrix_rows(matrix));
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
  const MatrixNames names = matrix_names(matrix, placed.form, context);
  PixelRect& cells = placed.cells;
  cells = placed.box;
  const float top = names.top + title_height(*placed.part, placed.form, context.look);
  cells.x += names.row, cells.w -= names.row + names.right;
  cells.y += top, cells.h -= top;
  const SizeNeed wide = cells_width(matrix, placed.form, context),
                 tall = cells_height(matrix, placed.form, context);
  cells.w = std::min(cells.w, wide.most), cells.h = std::min(cells.h, tall.most);
  if (drawn_large(matrix)) {
    placed.bars = cells.h * bars_height(matrix, context.look).natural / tall.natural;
    cells.h -= placed.bars;
    for (const float letters :
         {1.f, context.look.least_name})  // long names are smaller before columns are left out
      if (placed.columns.size() < matrix.order.size())
        placed.columns = columns_of(matrix, cells.w,
                                    large_cell(matrix, placed.form, context.look.looked, context, letters));
  } else if (!with_digits(matrix, placed.form)) {  // cells as square as the room allows
    const float across = cells.w / as_float(matrix_cols(matrix)),
                down = cells.h / as_float(matrix_rows(matrix));
    cells.w = std::max(wide.least, std::min(across, kWideCell * down) * as_float(matrix_cols(matrix)));
    const float named = std::min(cells.h, named_rows(matrix, placed.form, context.look));
    cells.h =
        std::max({tall.least, named, std::min(kTallCell * across, down) * as_float(matrix_rows(matrix))});
    return;
  }
  const bool rest = drawn_large(matrix) && placed.columns.size() < matrix.order.size();
  const float across = drawn_large(matrix) ? static_cast<float>(placed.columns.size() + (rest ? 1 : 0))
                                           : as_float(matrix_cols(matrix));
  const float letters =
                  least_letters(matrix, placed.form, context) * context.measure.width("0", 1, Face::mono),
              cell = cells.w / across,
              tight =
                  drawn_large(matrix) ? cell / (letters + kLargePad) : (cell - cell_pad(matrix)) / letters,
              least = drawn_large(matrix) ? context.look.looked : context.look.digit;
  const float by_width = std::min(tight, std::max(least, cell / (letters + kFreePad)));
  const float by_height = cells.h / as_float(matrix_rows(matrix)) / 1.25f;
  placed.digit =
      std::min({by_width, by_height,
                drawn_large(matrix) ? context.look.looked_natural : natural_digit(matrix, context.look)});
  if (matrix.signs && matrix.scale == Scale::open)  // as large as those of the planes beside it
    placed.digit = std::min(placed.digit, context.look.digit_natural);
}

}  // namespace

const MarkRules kMatrixRules{kMatrixGives, matrix_width, matrix_height, settle_matrix, draw_matrix};

}  // namespace attnscope::figure
