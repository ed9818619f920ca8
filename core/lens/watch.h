// What is followed while one walks, edits or trains: a number of a run by its place, or a measure of the
// numbers there; and conditions on a step at which playing stops. Values are read off a Trace each time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/step/place.h"
#include "core/trace/broken.h"
#include "core/trace/trace.h"

namespace attnscope {

/// "blocks.0.attn.scores[head=1,query=3,key=2]", "entropy(blocks.0.attn.pattern[head=1,query=3])",
/// "norm(blocks.1.resid_post[pos=-1])", "max(blocks.*.mlp.out.weight)": places of core/step/place.h.
struct Watch {
  enum class Measure : std::uint8_t { value, entropy, norm, mean, max, min };
  Measure measure = Measure::value;
  PlaceText of;
};
/// Errors: bad_format where there is no such measure; those of parse_place; a name that is none.
Result<Watch> parse_watch(std::string_view text);
std::string to_text(const Watch& watch);

/// Limit of the numbers that a statistic is taken of.
inline constexpr std::int64_t kMostWatched = std::int64_t{1} << 22;
/// Its value in a run: `value` is one number, `entropy` (nats, -sum p ln p) and `norm` (the square root
/// of the sum of squares) take any; masked numbers count in none. nullopt where the run lacks the place or it
/// has more than kMostWatched numbers.
std::optional<double> watch_value(const Trace& trace, const Watch& watch);
/// The same at every row of the axis `query` or `pos` that the place fixes, by number or token; NaN where
/// there is none there. Empty where it fixes neither.
std::vector<double> watch_series(const Trace& trace, const Watch& watch);

/// "nan": a NaN or an infinity in the step; "entropy < 0.5": of the weights of a head, the mean over its
/// rows; "max > 100": the largest magnitude. With a place only there: "nan(blocks.-1.mlp.out)",
/// "entropy(blocks.0.attn.pattern[head=1,query=-1]) < 0.5", "max(blocks.*.attn.z[pos=2]) > 100".
struct StopRule {
  enum class Kind : std::uint8_t { nan, entropy_below, max_above };
  Kind kind = Kind::nan;
  double bound = 0;
  std::optional<PlaceText> of = {};
};
/// Errors: bad_format; those of parse_place; a name that is no step.
Result<StopRule> parse_stop(std::string_view text);
std::string to_text(const StopRule& rule);
/// The value that met the rule: how many NaN, the entropy, the magnitude. nullopt where the rule is not met,
/// the run lacks the step, or it has more than kMostWatched numbers.
std::optional<double> stop_value(const Trace& trace, const Site& site, const StopRule& rule);

}  // namespace attnscope
