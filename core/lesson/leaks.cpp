#include "core/lesson/leaks.h"

#include <algorithm>
#include <cmath>

#include "core/base/names.h"
#include "core/base/number.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr double kPlain = 0.02;  // less is in every figure

bool is_sign(char sign) { return (sign >= '0' && sign <= '9') || sign == '.'; }

// "12.5" has one digit behind the point.
int digits_behind(std::string_view number) {
  const std::size_t point = number.find('.');
  return point == std::string_view::npos ? 0 : static_cast<int>(number.size() - point - 1);
}

void keep(double value, std::vector<double>& out) {
  const bool whole = std::fabs(value - std::round(value)) < kPlain / 4;
  if (!std::isfinite(value) || whole || std::fabs(value) < kPlain) return;
  out.push_back(std::fabs(value));
}

}  // namespace

Result<std::vector<double>> hidden_numbers(const Page& page, const ExpressionScope& scope) {
  std::vector<double> out;
  for (const std::string& place : page.hides) {
    if (is_item(place)) continue;
    TRY(const std::string filled, filled_in(place, scope));
    TRY(const ExpressionValue values, numbers_at(filled, scope));
    for (const double value : values.numbers) keep(value, out);
  }
  if (const auto* bars = std::get_if<BarsAsk>(&page.ask)) {
    TRY(const SharesRow row, bar_row(*bars, scope));
    for (const double share : row.shares) keep(share, out);
  }
  return out;
}

std::string leaked_number(const std::string& text, const std::vector<double>& hidden) {
  for (std::size_t at = 0; at < text.size();) {
    if (!is_sign(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_sign(text[end])) ++end;
    std::string number = text.substr(at, end - at);
    while (!number.empty() && number.back() == '.') number.pop_back();  // the end of a sentence
    const bool percent = text.compare(end, 1, "%") == 0 || text.compare(end, 2, " %") == 0 ||
                         text.compare(end, 3, "\u00a0%") == 0;
    at = end;
    const int digits = digits_behind(number);
    const auto value = parse_real(number, 0, 1e9);
    if (!value || (!percent && digits < 2)) continue;
    const double unit = std::pow(10.0, -digits) * (percent ? 0.01 : 1), said = *value * (percent ? 0.01 : 1);
    const auto same = [&](double one) { return std::fabs(one - said) <= 0.501 * unit; };
    if (said >= kPlain && std::any_of(hidden.begin(), hidden.end(), same)) return number;
  }
  return {};
}

}  // namespace attnscope
