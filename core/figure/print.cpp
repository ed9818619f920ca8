#include "core/figure/print.h"

#include <algorithm>
#include <cmath>

#include "core/base/words.h"

namespace attnscope::figure {
namespace {

constexpr float kBarGap = 5, kBarWide = 6, kTickGap = 3;
constexpr int kBarSteps = 32;
constexpr std::int64_t kMostNamed = 24;      // rows that all have their name
constexpr const char* kUsualTick = "-00.0";  // bars of neighbours take the same room

const MatrixMark& printed_matrix(const PlacedPart& placed) { return std::get<MatrixMark>(placed.part->mark); }
double least_of(const MatrixMark& matrix) { return matrix.scale == Scale::diverging ? -matrix.most : 0; }
std::string tick_text(const MatrixMark& matrix, double value) {
  return number_text(value, value == 0 || (value == 1 && matrix.scale == Scale::share) ? 0 : matrix.digits);
}

// `y`: the middle of the number.
void draw_tick(const PlacedPart& placed, float x, float y, double value, Drawing& out,
               const MarkContext& context) {
  const float em = context.look.small;
  const std::string text = tick_text(printed_matrix(placed), value);
  out.text(text, x, y + em * 0.36f, em, Face::mono, out.colours().ink(Ink::text), placed.box);
}

}  // namespace

bool one_scale(const MatrixMark& matrix) {
  return std::all_of(matrix.own_rows.begin(), matrix.own_rows.end(), [&](const MatrixMark::Row& row) {
    return row.scale == matrix.scale && row.most == matrix.most;
  });
}

bool has_scale_bar(const MatrixMark& matrix) {
  return matrix.printed && matrix.order.empty() && matrix.scale != Scale::open && one_scale(matrix);
}

float scale_bar_width(const MatrixMark& matrix, const MarkContext& context) {
  if (!has_scale_bar(matrix)) return 0;
  float widest = context.measure.width(kUsualTick, context.look.small, Face::mono);
  for (const double value : {least_of(matrix), matrix.most})
    widest =
        std::max(widest, context.measure.width(tick_text(matrix, value), context.look.small, Face::mono));
  return kBarGap + kBarWide + kTickGap + widest + 1;
}

void draw_scale_bar(const PlacedPart& placed, Drawing& out, const MarkContext& context) {
  const MatrixMark& matrix = printed_matrix(placed);
  if (!has_scale_bar(matrix)) return;
  const PixelRect bar{placed.cells.right() + kBarGap, placed.cells.y, kBarWide, placed.cells.h};
  const double least = least_of(matrix), most = matrix.most;
  const float tall = bar.h / kBarSteps;
  for (int step = 0; step < kBarSteps; ++step) {  // the strongest on top
    const double value = most - (most - least) * step / (kBarSteps - 1);
    out.rect({bar.x, bar.y + tall * static_cast<float>(step), bar.w, tall},
             out.colours().heat(matrix.scale, most > 0 ? value / most : 0));
    out.shapes.back().touches = true;
  }
  out.rect(bar, out.colours().frame, DrawnShape::Kind::frame);
  const float em = context.look.small, x = bar.right() + kTickGap;
  draw_tick(placed, x, bar.y + em / 2, most, out, context);
  if (least < 0 && bar.h > em * 4) draw_tick(placed, x, bar.y + bar.h / 2, 0, out, context);
  draw_tick(placed, x, bar.bottom() - em / 2, least, out, context);
}

std::string axis_title(const MatrixMark& matrix, bool rows) {
  const Names& names = rows ? matrix.rows : matrix.cols;
  if (!matrix.printed || !matrix.order.empty() || names.axis.empty() || !matrix.rows.shown) return {};
  return tr(rows ? "figure.axis.rows" : "figure.axis.columns", {names.axis.str()});
}

void draw_axis_titles(const PlacedPart& placed, float width, Drawing& out, const MarkContext& context) {
  const MatrixMark& matrix = printed_matrix(placed);
  const float em = context.look.small;
  float y = placed.cells.y - 4;
  for (const bool rows : {true, false}) {
    const std::string text = axis_title(matrix, rows);
    if (text.empty()) continue;
    out.text(text, placed.cells.x - 6 - context.measure.width(text, em, Face::sans), y, em, Face::sans,
             out.colours().ink(rows ? matrix.rows.ink : matrix.cols.ink),
             {placed.cells.x - width, placed.box.y, width, placed.cells.y - placed.box.y});
    y -= em * kLine;
  }
}

float named_rows(const MatrixMark& matrix, const Form& form, const LetterSizes& look) {
  const bool named = matrix.printed && !matrix.rows.labels.empty() && !form.has(Give::names);
  const std::int64_t rows = matrix.values.size(0);
  return named && rows <= kMostNamed ? static_cast<float>(rows) * look.small * (kLine + 0.01f) : 0;
}

float kept_name(const Names& names, float em, float longest, const MarkContext& context) {
  const int at = names.looked >= 0 ? names.looked : names.kept;
  if (!names.shown || at < 0 || at >= std::ssize(names.labels)) return 0;
  const std::string name = names.labels[static_cast<std::size_t>(at)].str();
  return std::min(longest, context.measure.width(name, em, Face::mono)) + 6;
}

float row_name_em(float em, float tall) {
  constexpr float kLeastShare = 0.85f, kLeastLetters = 11;
  const float fits = tall / kLine, least = std::max(kLeastShare * em, std::min(em, kLeastLetters));
  return fits < least ? em : std::min(em, fits);
}

std::int64_t name_every(const PlacedPart& placed, float cells) {
  constexpr std::int64_t kNever = std::int64_t{1} << 30;
  return placed.form.has(Give::names) ? kNever : static_cast<std::int64_t>(std::ceil(cells));
}

bool name_shown(const Names& names, std::int64_t at, std::int64_t every) {
  if (at == names.looked || every <= 1) return true;
  const auto apart = [&](int from) { return from < 0 || std::abs(at - from) >= every; };
  if (!apart(names.looked)) return false;
  return at == names.kept || (at % every == 0 && apart(names.kept));
}

}  // namespace attnscope::figure
