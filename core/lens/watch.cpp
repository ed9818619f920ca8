#include "core/lens/watch.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/base/trimmed.h"
#include "core/lens/head_stats.h"
#include "core/trace/editable.h"
#include "core/trace/inside.h"
#include "core/trace/place_cells.h"

namespace attnscope {
namespace {

constexpr std::string_view kMeasures[] = {"value", "entropy", "norm", "mean", "max", "min"};
constexpr double kLargest = 1e30;
constexpr std::string_view kBetweenWords = " \t";

bool masked(float value) { return std::isinf(value) && value < 0; }

// -sum p ln p of numbers that are weights.
double weights_entropy(const std::vector<float>& weights) {
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
    case Watch::Measure::entropy: return weights_entropy(values);
    case Watch::Measure::norm: return std::sqrt(squares);
    case Watch::Measure::mean: return count ? sum / static_cast<double>(count) : std::nan("");
    case Watch::Measure::max: return count ? most : std::nan("");
    case Watch::Measure::min: return count ? least : std::nan("");
  }
  return std::nan("");
}

std::optional<double> least_entropy(const Trace& trace, const Record& record) {
  std::optional<double> least;
  for (std::int64_t head = 0; head < size_along(Axis::head, record.axes, record.shape, 0); ++head)
    if (const auto found = head_stats(trace, record.site, head); found && found->in_sight > 0)
      least = std::min(least.value_or(found->entropy), found->entropy);
  return least;
}

std::optional<double> least_entropy_of(const Trace& trace, const Site& site) {
  const Record* record = trace.find(site);
  return site.is(StepRole::pattern) && record ? least_entropy(trace, *record) : std::nullopt;
}

// "norm(blocks.0.attn.z[pos=1])": the name, and the place in parentheses where there is one.
struct NamedPlace {
  std::string name;
  std::optional<std::string> place;
};
NamedPlace named_place(std::string_view text) {
  const std::string body(trimmed(text, kBetweenWords));
  const std::size_t open = body.find('(');
  if (open == std::string::npos || body.back() != ')') return {body, std::nullopt};
  return {std::string(trimmed(body.substr(0, open), kBetweenWords)),
          body.substr(open + 1, body.size() - open - 2)};
}

// The numbers of a place, at most `limit` of each block; nothing where the run lacks it.
std::optional<std::vector<float>> numbers_of(const Trace& trace, const PlaceText& place, std::int64_t limit) {
  std::vector<float> out;
  const auto targets = targets_of(trace, place);
  if (!targets) return std::nullopt;
  for (const Target& where : *targets) {
    const auto values = numbers_at(trace, where, limit);
    if (!values || std::ssize(out) + values->count() > limit) return std::nullopt;
    const std::vector<float> numbers = values->values();
    out.insert(out.end(), numbers.begin(), numbers.end());
  }
  return out.empty() ? std::nullopt : std::optional(std::move(out));
}

// The part of a step that a rule is about; nothing where it is about another one.
std::optional<std::vector<AxisRange>> part_of_rule(const Trace& trace, const Site& site,
                                                   const StopRule& rule) {
  if (!rule.of) return std::vector<AxisRange>{};
  const auto targets = targets_of(trace, *rule.of);
  if (targets)
    for (const Target& where : *targets)
      if (where.site == site) return where.at;
  return std::nullopt;
}

// Of rows of weights: the mean over them.
double mean_entropy(const Tensor& weights) {
  const bool rows = weights.rank() > 1 && weights.axis(weights.rank() - 1) == Axis::key;
  return weights_entropy(weights.values()) /
         static_cast<double>(rows ? weights.count() / weights.size(weights.rank() - 1) : 1);
}

}  // namespace

Result<Watch> parse_watch(std::string_view text) {
  Watch out;
  NamedPlace asked = named_place(text);
  if (asked.place) {
    const auto at = std::find(std::begin(kMeasures), std::end(kMeasures), asked.name);
    if (at == std::end(kMeasures))
      return fail(Code::bad_format, "error.lens.watch.measure",
                  {in_quotes(asked.name), "entropy, norm, mean, max, min"});
    out.measure = static_cast<Watch::Measure>(at - std::begin(kMeasures));
  }
  TRY(out.of, parse_place(asked.place.value_or(asked.name)));
  TRY_OK(check_place_name(out.of));
  return out;
}

std::string to_text(const Watch& watch) {
  const std::string of = to_text(watch.of);
  if (watch.measure == Watch::Measure::value) return of;
  return std::string(kMeasures[static_cast<std::size_t>(watch.measure)]) + "(" + of + ")";
}

std::optional<double> watch_value(const Trace& trace, const Watch& watch) {
  const auto values = numbers_of(trace, watch.of, watch.measure == Watch::Measure::value ? 1 : kMostWatched);
  return values ? std::optional(measured(watch.measure, *values)) : std::nullopt;
}

std::vector<double> watch_series(const Trace& trace, const Watch& watch) {
  Watch moved = watch;
  const auto row = std::find_if(moved.of.at.begin(), moved.of.at.end(), [](const AxisRange& range) {
    return is_row_axis(range.axis) || !range.token.empty();
  });
  const auto targets = targets_of(trace, watch.of);
  if (row == moved.of.at.end() || !targets) return {};
  const AxisRange* here = range_on(targets->front().at, "pos");
  const auto extent = extent_of(trace, targets->front());
  std::int64_t rows = 0;
  for (std::size_t d = 0; here && extent && d < extent->axes.size(); ++d)
    if (axis_name(extent->axes[d]) == here->axis) rows = extent->shape[d];
  std::vector<double> out;
  for (std::int64_t i = 0; i < rows; ++i) {
    *row = AxisRange(here->axis, i);
    out.push_back(watch_value(trace, moved).value_or(std::nan("")));
  }
  return out;
}

Result<StopRule> parse_stop(std::string_view text) {
  const std::string body(trimmed(text, kBetweenWords));
  const std::size_t sign = body.find_last_of("<>");
  const NamedPlace asked = named_place(body.substr(0, sign));
  StopRule out;
  if (sign != std::string::npos) {
    const bool below = body[sign] == '<';
    if (asked.name != (below ? "entropy" : "max"))
      return fail(Code::bad_format, "error.lens.watch.stop", {in_quotes(body)});
    out.kind = below ? StopRule::Kind::entropy_below : StopRule::Kind::max_above;
    TRY(out.bound, parse_real(trimmed(body.substr(sign + 1), kBetweenWords), 0, kLargest));
  } else if (asked.name != "nan") {
    return fail(Code::bad_format, "error.lens.watch.stop", {in_quotes(body)});
  }
  if (!asked.place) return out;
  TRY(PlaceText place, parse_place(*asked.place));
  TRY_OK(check_place_name(place));
  if (is_weight_name(place.name) || place.name == kInputName)
    return fail(Code::bad_format, "error.lens.watch.stop", {in_quotes(body)});
  out.of = std::move(place);
  return out;
}

std::string to_text(const StopRule& rule) {
  const std::string of = rule.of ? "(" + to_text(*rule.of) + ")" : "";
  if (rule.kind == StopRule::Kind::nan) return "nan" + of;
  return (rule.kind == StopRule::Kind::entropy_below ? "entropy" + of + " < " : "max" + of + " > ") +
         format("%.6g", rule.bound);
}

std::optional<double> stop_value(const Trace& trace, const Site& site, const StopRule& rule) {
  const Record* record = trace.find(site);
  const auto part = record ? part_of_rule(trace, site, rule) : std::nullopt;
  if (!part) return std::nullopt;
  if (rule.kind == StopRule::Kind::entropy_below && !rule.of) {
    const auto least = least_entropy_of(trace, site);
    return least && *least < rule.bound ? least : std::nullopt;
  }
  const auto values = trace.part(site, *part, kMostWatched);
  if (!values) return std::nullopt;
  if (rule.kind == StopRule::Kind::entropy_below) {
    const double found = mean_entropy(*values);
    return site.is(StepRole::pattern) && found < rule.bound ? std::optional(found) : std::nullopt;
  }
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
