#include "core/view/step_row.h"

#include <algorithm>
#include <cmath>

namespace attnscope {

using figure::MatrixMark, figure::Scale;

namespace {

constexpr double kSmall = 0.1, kOneDigit = 10;  // of the largest number: below, more digits
constexpr std::size_t kFourDigitColumns = 6;    // as many have room for four digits

}  // namespace

std::optional<figure::Figure> large_rows(const std::vector<LargeRow>& rows, const figure::Names& cols,
                                         const Text& title) {
  std::vector<NamedRow> named;
  for (const LargeRow& one : rows)
    if (!one.row.values.empty() && one.row.values.size() == rows.back().row.values.size())
      named.push_back(one.row);
  if (rows.empty() || named.empty() || rows.back().row.values.empty()) return std::nullopt;
  MatrixMark out = numbers_mark(named);
  const std::vector<float>& led = named.back().values;
  const auto size = [&](int col) {
    const auto value = static_cast<double>(led[static_cast<std::size_t>(col)]);
    return std::isinf(value) && value < 0 ? -1.0 : std::isnan(value) ? HUGE_VAL : std::abs(value);
  };
  std::sort(out.order.begin(), out.order.end());
  std::stable_sort(out.order.begin(), out.order.end(), [&](int a, int b) { return size(a) > size(b); });
  out.cols.shown = cols.shown;
  if (!cols.labels.empty()) {
    out.cols = cols;
    show_few_columns(out);
  }
  std::size_t at = 0;
  for (const LargeRow& one : rows) {
    if (one.row.values.size() != led.size()) continue;
    MatrixMark::Row& own = out.own_rows[at++];
    own.scale = one.scale;
    own.most = one.scale == Scale::diverging ? largest_size(one.row.values) : 1;
    own.digits = one.scale == Scale::open                                  ? 0
                 : led.size() <= kFourDigitColumns && own.most < kOneDigit ? 4
                 : one.scale == Scale::share                               ? 2
                 : own.most < kSmall                                       ? 4
                 : own.most < kSmall * kOneDigit                           ? 3
                                                                           : 2;
  }
  return figure::Figure{title, figure::leaf({"step_row", std::move(out), 3, {title}, ""})};
}

}  // namespace attnscope
