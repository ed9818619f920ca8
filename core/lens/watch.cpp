#include "core/lens/watch.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/lens/head_stats.h"

namespace attnscope {
namespace {

constexpr std::string_view kMeasures[] = {"value", "entropy", "norm", "mean", "max", "min"};
constexpr double kLargest = 1e30;

bool masked(float value) { return std::isinf(value) && value < 0; }

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

// -sum p ln p of numbers that are weights.
double entropy_of(const std::vector<float>& weights) {
  double sum = 0;
  for (const float p : weights)
    if (std::isfinite(p) && p > 0) sum -= static_cast<double>(p) * std::log(static_cast<double>(p));
  return sum;
}

double measured(Watch::Measure measure, const std::vector<float>& values) {
  double sum = 0, squares = 0, most = -std::numeric_limits<double>::infinity(), least = -most;
  std::int64_t count = 0;
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    const auto v = static_cast<double>(value);
    sum += v, squares += v * v, most = std::max(most, v), least = std::min(least, v);
    ++count;
  }
  switch (measure) {
    case Watch::Measure::value: return static_cast<double>(values.front());
    case Watch::Measure::entropy: return entropy_of(values);
    case Watch::Measure::norm: return std::sqrt(squares);
    case Watch::Measure::mean: return count ? sum / static_cast<double>(count) : std::nan("");
    case Watch::Measure::max: return count ? most : std::nan("");
    case Watch::Measure::min: return count ? least : std::nan("");
  }
  return std::nan("");
}

std::int64_t heads_of(const Record& record) {
  for (std::size_t d = 0; d < record.axes.size(); ++d)
    if (record.axes[d] == Axis::head) return record.shape[d];
  return 0;
}

std::optional<double> least_entropy(const Trace& trace, const Record& record) {
  std::optional<double> least;
  for (std::int64_t head = 0; head < heads_of(record); ++head)
    if (const auto found = head_stats(trace, record.site, head); found && found->in_sight > 0)
      least = std::min(least.value_or(found->entropy), found->entropy);
  return least;
}

}  // namespace

Result<Watch> parse_watch(std::string_view text) {
  Watch out;
  std::string body = trimmed(text);
  const std::size_t open = body.find('(');
  if (open != std::string::npos && body.back() == ')') {
    const std::string name = trimmed(body.substr(0, open));
    const auto at = std::find(std::begin(kMeasures), std::end(kMeasures), name);
    if (at == std::end(kMeasures))
      return fail(Code::bad_format, "error.lens.watch.measure",
                  {in_quotes(name), "entropy, norm, mean, max, min"});
    out.measure = static_cast<Watch::Measure>(at - std::begin(kMeasures));
    body = body.substr(open + 1, body.size() - open - 2);
  }
  TRY(out.of, parse_cell(body));
  return out;
}

std::string to_text(const Watch& watch) {
  const std::string of = to_text(watch.of);
  if (watch.measure == Watch::Measure::value) return of;
  return std::string(kMeasures[static_cast<std::size_t>(watch.measure)]) + "(" + of + ")";
}

std::optional<double> watch_value(const Trace& trace, const Watch& watch) {
  const bool one = watch.measure == Watch::Measure::value;
  const auto values = trace.tensor(watch.of, one ? 1 : kMostWatched);
  if (!values || values->count() == 0) return std::nullopt;
  return measured(watch.measure, values->values());
}

std::vector<double> watch_series(const Trace& trace, const Watch& watch) {
  const Record* record = trace.find(watch.of.site);
  const auto at = std::find_if(watch.of.at.begin(), watch.of.at.end(), [](const Coordinate& c) {
    return c.axis == axis_name(Axis::query) || c.axis == axis_name(Axis::pos);
  });
  if (!record || at == watch.of.at.end()) return {};
  std::int64_t rows = 0;
  for (std::size_t d = 0; d < record->axes.size(); ++d)
    if (axis_name(record->axes[d]) == at->axis) rows = record->shape[d];
  std::vector<double> out;
  Watch moved = watch;
  Coordinate& row = moved.of.at[static_cast<std::size_t>(at - watch.of.at.begin())];
  for (row.index = 0; row.index < rows; ++row.index)
    out.push_back(watch_value(trace, moved).value_or(std::nan("")));
  return out;
}

Result<StopRule> parse_stop(std::string_view text) {
  const std::string body = trimmed(text);
  if (body == "nan") return StopRule{};
  const std::size_t sign = body.find_first_of("<>");
  if (sign != std::string::npos) {
    const std::string name = trimmed(body.substr(0, sign));
    const bool below = body[sign] == '<';
    if ((name == "entropy" && below) || (name == "max" && !below)) {
      TRY(const double bound, parse_real(trimmed(body.substr(sign + 1)), 0, kLargest));
      return StopRule{below ? StopRule::Kind::entropy_below : StopRule::Kind::max_above, bound};
    }
  }
  return fail(Code::bad_format, "error.lens.watch.stop", {in_quotes(body)});
}

std::string to_text(const StopRule& rule) {
  if (rule.kind == StopRule::Kind::nan) return "nan";
  return (rule.kind == StopRule::Kind::entropy_below ? "entropy < " : "max > ") + format("%.6g", rule.bound);
}

std::optional<double> stop_value(const Trace& trace, const Site& site, const StopRule& rule) {
  const Record* record = trace.find(site);
  if (!record) return std::nullopt;
  std::int64_t count = 1;
  for (const std::int64_t size : record->shape) count *= size;
  if (count > kMostWatched) return std::nullopt;
  if (rule.kind == StopRule::Kind::entropy_below) {
    if (!site.is(StepRole::pattern)) return std::nullopt;
    const auto least = least_entropy(trace, *record);
    return least && *least < rule.bound ? least : std::nullopt;
  }
  const auto values = trace.tensor(site, kMostWatched);
  if (!values) return std::nullopt;
  double broken = 0, most = 0;
  for (const float value : values->values()) {
    if (masked(value)) continue;
    if (!std::isfinite(value))
      ++broken;
    else
      most = std::max(most, std::fabs(static_cast<double>(value)));
  }
  if (rule.kind == StopRule::Kind::nan) return broken > 0 ? std::optional(broken) : std::nullopt;
  return most > rule.bound ? std::optional(most) : std::nullopt;
}

}  // namespace attnscope
