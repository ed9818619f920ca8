// Rows of shares that are drawn before they are seen, steps that are put into an order, and what is said
// after an answer.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lesson/check_parts.h"
#include "core/session/timeline.h"
#include "core/step/catalog.h"

namespace attnscope {
namespace {

constexpr double kShortestDrawn = 0.002;  // of a bar, for the divergence
constexpr double kSumsToOne = 5e-4;       // what rounding may leave
constexpr double kSameDrawing = 0.1;      // total variation of two drawings that are meant alike
constexpr std::size_t kMostDrawnBars = 16, kMostNamedDrawn = 3;
constexpr std::string_view kBetweenDrawn = " > ";

Text share_text(double share) { return Text::of("lessons.bars.share", {format("%.0f", 100 * share)}); }

// Half of the sum of what differs: 0 for two equal rows, 1 for rows that have nothing in common.
double total_variation(const std::vector<double>& a, const std::vector<double>& b) {
  double out = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) out += std::fabs(a[i] - b[i]) / 2;
  return out;
}

// The values of a curve as shares of its top.
Result<std::vector<double>> curve_row(const BarsAsk& ask, const Expression& row,
                                      const ExpressionScope& scope) {
  TRY(const ExpressionValue value, row.value(scope));
  std::vector<double> out = value.numbers;
  for (double& one : out) one /= ask.top;
  const bool inside = std::all_of(out.begin(), out.end(), [](double one) { return one >= 0 && one <= 1; });
  if (value.is_text || out.size() < 2 || out.size() > kMostDrawnBars || !inside)
    return fail(Code::bad_format, "error.lesson.no_curve", {in_quotes(row.text()), lesson_number(ask.top)});
  return out;
}

Result<std::vector<double>> whole_row(const BarsAsk& ask, const Expression& row,
                                      const ExpressionScope& scope) {
  if (ask.is_curve()) return curve_row(ask, row, scope);
  TRY(const ExpressionValue value, row.value(scope));
  std::vector<double> out = value.numbers;
  const double sum = std::accumulate(out.begin(), out.end(), 0.0);
  const bool shares = std::all_of(out.begin(), out.end(), [](double one) { return one >= 0; });
  if (value.is_text || out.size() < 2 || !shares || sum > 1 + kSumsToOne)
    return fail(Code::bad_format, "error.lesson.no_shares", {in_quotes(row.text())});
  if (sum < 1 - kSumsToOne) out.push_back(1 - sum);
  if (out.size() > kMostDrawnBars)
    return fail(Code::out_of_range, "error.lesson.many_bars", {in_quotes(row.text())});
  return out;
}

// Two digits are enough in a sentence; whole numbers have none.
std::string because_number(double value, bool percent) {
  if (percent)
    return Text::of("lessons.bars.share", {format(value < 0.0995 ? "%.1f" : "%.0f", 100 * value)}).str();
  if (value == std::round(value)) return lesson_number(value);
  const std::string text = format(std::fabs(value) < 0.095 ? "%.3f" : "%.2f", value);
  return text.front() == '-' ? "\u2212" + text.substr(1) : text;
}

// Where two rows differ most.
std::size_t farthest(const std::vector<double>& a, const std::vector<double>& b) {
  std::size_t worst = 0;
  const auto off = [&](std::size_t at) { return std::fabs(a[at] - b[at]); };
  for (std::size_t i = 1; i < a.size(); ++i)
    if (off(i) > off(worst)) worst = i;
  return worst;
}

double mean_distance(const std::vector<double>& a, const std::vector<double>& b) {
  return 2 * total_variation(a, b) / static_cast<double>(std::max<std::size_t>(1, a.size()));
}

// The point that is farthest off is told.
Result<Verdict> check_curve(const Lesson& lesson, const Page& page, const BarsAsk& ask, const SharesRow& row,
                            const std::vector<double>& drawn, const ExpressionScope& scope) {
  const double error = mean_distance(row.shares, drawn), score = std::exp(-error / ask.good);
  if (error <= ask.good) return Verdict{true, Text::of("verdict.right.curve"), 1};
  for (const Slip& slip : ask.slips) {
    TRY(const std::vector<double> meant, whole_row(ask, slip.value, scope));
    if (mean_distance(meant, drawn) <= ask.good)
      return Verdict{false, Text::of(page_key(lesson, page, "slip." + slip.id)), score, true};
  }
  const std::size_t worst = farthest(row.shares, drawn);
  return Verdict{
      false,
      Text::of("verdict.wrong.curve", {row.names[worst], because_number(ask.top * drawn[worst], false),
                                       because_number(ask.top * row.shares[worst], false)}),
      score};
}

// What is said of a change is true once it was made.
Result<bool> is_made(const Lesson& lesson, const Page& page, const ExpressionScope& scope) {
  const bool made = std::holds_alternative<ChangeAsk>(page.ask) || std::holds_alternative<MaskAsk>(page.ask);
  if (!made) return true;
  TRY(const Verdict verdict, check_answer(lesson, page, {}, scope));
  return verdict.right;
}

// Under other edits or with another text the right choice may be another one; the page's reason is not its
// reason then.
Result<bool> right_as_opened(const Page& page, const ExpressionScope& scope) {
  const auto* ask = std::get_if<ChoiceAsk>(&page.ask);
  if (!ask || ask->is_probe() || !scope.before || scope.before == &scope.run) return true;
  const ExpressionScope opened{*scope.before, nullptr, scope.sequence, scope.variables, scope.waits};
  for (const ChoiceAsk::Choice& choice : ask->choices) {
    TRY(const double now, choice.when.number(scope));
    TRY(const double then, choice.when.number(opened));
    if ((now != 0) != (then != 0)) return false;
  }
  return true;
}

}  // namespace

Result<SharesRow> bar_row(const BarsAsk& ask, const ExpressionScope& scope) {
  SharesRow out;
  TRY(out.shares, whole_row(ask, ask.row, scope));
  TRY(const ExpressionValue value, ask.row.value(scope));
  const std::size_t named = value.numbers.size();
  const auto tokens = static_cast<std::size_t>(scope.run.trace(scope.sequence).length);
  if (ask.words.empty() ? named > tokens : named != ask.words.size())
    return fail(Code::bad_format, "error.lesson.bar_names",
                {static_cast<std::int64_t>(named),
                 static_cast<std::int64_t>(ask.words.empty() ? tokens : ask.words.size())});
  for (std::size_t i = 0; i < named; ++i)
    out.names.push_back(ask.words.empty()
                            ? Text(scope.run.label(scope.sequence, static_cast<std::int64_t>(i)))
                            : ask.words[i]);
  if (out.shares.size() > named) out.names.push_back(Text::of("lessons.bars.rest"));
  return out;
}

double bars_error(const std::vector<double>& truth, const std::vector<double>& drawn) {
  double out = 0;
  for (std::size_t i = 0; i < std::min(truth.size(), drawn.size()); ++i)
    if (truth[i] > 0) out += truth[i] * std::log(truth[i] / std::max(drawn[i], kShortestDrawn));
  return std::max(0.0, out);
}

Result<Verdict> check_bars(const Lesson& lesson, const Page& page, const BarsAsk& ask, const Answer& answer,
                           const ExpressionScope& scope) {
  const auto* given = std::get_if<DrawnBars>(&answer);
  if (!given) return fail(Code::not_found, "error.lesson.answer.none");
  TRY(const SharesRow row, bar_row(ask, scope));
  if (given->shares.size() != row.shares.size()) return fail(Code::not_found, "error.lesson.answer.none");
  if (ask.is_curve()) return check_curve(lesson, page, ask, row, given->shares, scope);
  const double error = bars_error(row.shares, given->shares);
  const Text shown = share_text(1 - total_variation(row.shares, given->shares));
  if (error <= ask.good) return Verdict{true, Text::of("verdict.right.bars", {shown}), 1};
  const double score = std::exp(-error);
  for (const Slip& slip : ask.slips) {
    TRY(const std::vector<double> meant, whole_row(ask, slip.value, scope));
    if (total_variation(meant, given->shares) < kSameDrawing)
      return Verdict{false, Text::of(page_key(lesson, page, "slip." + slip.id), {shown}), score, true};
  }
  const std::size_t worst = farthest(row.shares, given->shares);
  return Verdict{false,
                 Text::of("verdict.wrong.bars", {shown, row.names[worst], share_text(given->shares[worst]),
                                                 share_text(row.shares[worst])}),
                 score};
}

Text bars_words(const Page& page, const DrawnBars& bars, const ExpressionScope& scope) {
  const auto* ask = std::get_if<BarsAsk>(&page.ask);
  const auto row = ask ? bar_row(*ask, scope) : Result<SharesRow>(Error{});
  if (!row || row->names.size() != bars.shares.size()) return {};
  std::vector<std::size_t> order(bars.shares.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return bars.shares[a] > bars.shares[b]; });
  std::vector<std::string> parts;
  if (ask->is_curve()) {  // in their order
    for (std::size_t i = 0; i < bars.shares.size(); ++i)
      parts.push_back(row->names[i].str() + ": " + because_number(ask->top * bars.shares[i], false));
    return join(parts, ", ");
  }
  for (std::size_t i = 0; i < std::min(order.size(), kMostNamedDrawn); ++i)
    parts.push_back(row->names[order[i]].str() + " " + share_text(bars.shares[order[i]]).str());
  return join(parts, ", ");
}

// ---- an order -------------------------------------------------------------------------------------

std::string order_answer(const std::vector<Site>& steps) {
  std::vector<std::string> out;
  for (const Site& step : steps) out.push_back(to_text(step));
  return join(out, std::string(kBetweenDrawn));
}

std::vector<Site> order_of(const std::string& answer) {
  std::vector<Site> out;
  for (std::size_t at = 0; at <= answer.size();) {
    const std::size_t end = std::min(answer.find(kBetweenDrawn, at), answer.size());
    if (const auto site = parse_site(answer.substr(at, end - at))) out.push_back(*site);
    at = end + kBetweenDrawn.size();
  }
  return out;
}

Result<std::vector<Site>> steps_in_order(const OrderAsk& ask, const ExpressionScope& scope) {
  std::vector<std::pair<int, Site>> out;
  for (const Site& step : ask.steps) {
    const int index = step_index(scope.run.steps, step);
    if (index < 0) return fail(Code::not_found, "error.lesson.no_step", {in_quotes(to_text(step))});
    out.emplace_back(index, step);
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Site> sites;
  for (const auto& [index, step] : out) sites.push_back(step);
  return sites;
}

Text order_words(const OrderAsk& ask, const std::vector<Site>& steps) {
  std::vector<std::string> out;
  for (const Site& step : steps) out.push_back(ask.name_of(step).str());
  return join(out, " \u2192 ");
}

Result<Verdict> check_order(const OrderAsk& ask, const Answer& answer, const ExpressionScope& scope) {
  const auto* given = std::get_if<std::string>(&answer);
  if (!given) return fail(Code::not_found, "error.lesson.answer.none");
  TRY(const std::vector<Site> wanted, steps_in_order(ask, scope));
  const std::vector<Site> mine = order_of(*given);
  if (mine.size() != wanted.size()) return fail(Code::not_found, "error.lesson.answer.none");
  const auto differs = std::mismatch(wanted.begin(), wanted.end(), mine.begin());
  if (differs.first == wanted.end()) return Verdict{true, Text::of("verdict.right.order"), 1};
  const auto right = static_cast<std::int64_t>(differs.first - wanted.begin());
  return Verdict{false,
                 Text::of(right == 0 ? "verdict.wrong.order.first" : "verdict.wrong.order",
                          {right, ask.name_of(*differs.second)}),
                 static_cast<double>(right) / static_cast<double>(wanted.size())};
}

// ---- afterwards -----------------------------------------------------------------------------------

Result<Text> because_text(const Lesson& lesson, const Page& page, const ExpressionScope& scope) {
  TRY(const bool made, is_made(lesson, page, scope));
  if (!made) return Text();
  TRY(const bool same, right_as_opened(page, scope));
  if (!same) return Text();
  for (const Expression& claim : page.because.holds) {
    TRY(const double holds, claim.number(scope));
    if (holds == 0) return Text();
  }
  std::vector<Text> values;
  for (const Expression& value : page.because.values) {
    TRY(const double number, value.number(scope));
    values.push_back(because_number(number, page.because.percent));
  }
  Text text = Text::of(page_key(lesson, page, "because"), std::move(values));
  return text.has_words() ? text : Text();
}

void set_share(std::vector<double>& shares, std::size_t which, double share) {
  if (which >= shares.size() || shares.size() < 2) return;
  const double rest = 1 - shares[which], left = 1 - share;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (i == which) continue;
    shares[i] = rest > 1e-9 ? shares[i] * left / rest : left / static_cast<double>(shares.size() - 1);
  }
  shares[which] = share;
}

}  // namespace attnscope
